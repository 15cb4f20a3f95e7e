/** What a case expects: its lines `# expect: P1 G01 sure Service shop/web | spec.selector`, or `nothing`. */
export function expectedCauses(text: string): string[] {
  const lines = [...text.matchAll(/^# expect: (.+)$/gm)].map(([, line = '']) => line.trimEnd());
  if (lines.length === 0) throw new Error('a case begins with "# expect: " and a cause, or "# expect: nothing"');
  return lines.filter((line) => line !== 'nothing');
}
