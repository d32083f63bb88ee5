import type { Command } from 'commander'
import { UsageError } from '../output.ts'

/** What may follow these words: subcommands, and the options of the command that they name. */
export function completions(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? ''
  let command = program
  for (const word of words.slice(0, -1)) command = command.commands.find((each) => each.name() === word) ?? command
  const names = last.startsWith('-')
    ? [...new Set([...command.options, ...program.options].flatMap(({ long }) => long ?? []))]
    : command.commands.map((each) => each.name()).filter((name) => !name.startsWith('__'))
  return names.filter((name) => name.startsWith(last)).sort()
}

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_payments() { COMPREPLY=($(payments __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)); }
complete -o default -F _payments payments`,
  zsh: `#compdef payments
_payments() { compadd -- \${(f)"$(payments __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"}; }
compdef _payments payments`,
  fish: `complete -c payments -f -a '(payments __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}

/** The script that makes a shell complete this program's commands. @throws UsageError for another shell */
export function completionScript(shell: string): string {
  const script = SCRIPTS[shell]
  if (!script) throw new UsageError(`"${shell}": one of ${Object.keys(SCRIPTS).join(', ')}`)
  return script
}
