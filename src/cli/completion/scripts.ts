/** Each asks argosy itself with the words so far, the last of which may be empty or half. */
export const SCRIPTS = {
  bash: `# bash completion of argosy
_argosy() {
  local IFS=$'\\n'
  COMPREPLY=($(argosy __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _argosy argosy
`,
  zsh: `#compdef argosy
# zsh completion of argosy
_argosy() {
  local -a found
  found=("\${(@f)$(argosy __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- "\${found[@]}"
}
if [ "$funcstack[1]" = "_argosy" ]; then _argosy "$@"; else compdef _argosy argosy; fi
`,
  fish: `# fish completion of argosy
function __argosy_complete
  set -l words (commandline -opc) (commandline -ct)
  argosy __complete $words[2..-1] 2>/dev/null
end
complete -c argosy -f -a '(__argosy_complete)'
`,
} as const;
