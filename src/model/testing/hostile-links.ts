const DO = 'alert(document.domain)';

/** Texts that a browser could take for a script, each in another disguise. */
export const HOSTILE_LINKS: readonly string[] = [
  `javascript:${DO}`, `JaVaScRiPt:${DO}`, ` javascript:${DO}`, `\tjavascript:${DO}`, `java\tscript:${DO}`, `java\nscript:${DO}`, `java\r\nscript:${DO}`, `\u0001javascript:${DO}`, `\u00a0javascript:${DO}`, `\ufeffjavascript:${DO}`,
  `javascript\u0000:${DO}`, `javascript&colon;${DO}`, `&#106;avascript:${DO}`, `javascript%3A${DO}`, `javascript://example.com/%0a${DO}`, `javascript:/*https://example.com*/${DO}`, `javascript:${DO}//https://example.com`, `ｊavascript:${DO}`, `javaſcript:${DO}`,
  `data:text/html,<script>${DO}</script>`, `data:text/html;base64,${Buffer.from(`<script>${DO}</script>`).toString('base64')}`, `DATA:image/svg+xml,<svg onload="${DO}">`, `vbscript:msgbox(1)`, `VBScript:msgbox(1)`, `livescript:${DO}`, `mocha:${DO}`, `blob:https://example.com/x`, `file:///etc/passwd`, `view-source:javascript:${DO}`, `feed:javascript:${DO}`, `jar:javascript:${DO}`,
  `//evil.example.com/x`, `\\\\evil.example.com\\x`, `/\\evil.example.com`, `https:/\\evil.example.com`, `title|javascript:${DO}`, `javascript:${DO}|x|https://example.com`, `https://example.com/|javascript:${DO}`, `"><script>${DO}</script>`, `'"><img src=x onerror=${DO}>`, `<svg/onload=${DO}>`, `{{constructor.constructor('${DO}')()}}`, `\${${DO}}`,
];
