export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The script for each shell. All ask the typed command for completions, wherever it is installed, and complete paths
 * if it prints none.
 */
export const SCRIPTS: Record<Shell, string> = {
  bash: `_deltawatch() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    [[ $word == "$2"* ]] && COMPREPLY+=("$word")
  done < <("$1" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _deltawatch deltawatch`,
  zsh: `#compdef deltawatch
_deltawatch() {
  local -a found
  found=("\${(@f)$("$words[1]" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then _describe deltawatch found; else _files; fi
}
compdef _deltawatch deltawatch`,
  fish: `function __deltawatch_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l found ($words[1] completion fish -- $words[2..-1] "$typed" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$typed"
  end
end
complete -c deltawatch -f -a '(__deltawatch_complete)'`,
};

/** One word per line, with a description where the shell shows one. */
export function wordLines(shell: Shell, words: readonly { word: string; description: string }[]): string[] {
  return words.map(({ word, description }) => {
    if (shell === 'bash' || description === '') return word;
    return shell === 'zsh' ? `${word.replaceAll(':', '\\:')}:${description}` : `${word}\t${description}`;
  });
}
