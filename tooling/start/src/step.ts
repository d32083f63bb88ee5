/** Prints one line of the demo. */
export const step = (what: string, detail: string): void =>
  void process.stdout.write(`✓ ${what}${detail ? `: ${detail}` : ''}\n`)
