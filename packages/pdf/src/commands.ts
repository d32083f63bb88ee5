import type { PdfPage } from './page.ts'

/** What is written on a page, as data: a document is made in a thread, and what it says is decided where its data are. */
export type PageCommand = {
  [Name in keyof PdfPage]: readonly [name: Name, ...args: Parameters<PdfPage[Name]>]
}[keyof PdfPage]

/** Writes down what is written on a page. */
export function recorded(write: (page: PdfPage) => void): readonly PageCommand[] {
  const commands: PageCommand[] = []
  const recorder =
    <Name extends keyof PdfPage>(name: Name) =>
    (...args: Parameters<PdfPage[Name]>) => {
      commands.push([name, ...args] as unknown as PageCommand)
    }
  write({
    text: recorder('text'),
    space: recorder('space'),
    table: recorder('table'),
    facts: recorder('facts'),
    logo: recorder('logo'),
    code: recorder('code'),
  })
  return commands
}

/** The texts of what was written. */
export const textsOf = (commands: readonly PageCommand[]): readonly string[] =>
  commands.flatMap(([, ...args]) => args.flat(2).filter((each) => typeof each === 'string'))

/** Writes on a page what was written down. */
export function replay(commands: readonly PageCommand[], page: PdfPage): void {
  for (const [name, ...args] of commands) (page[name] as (...given: unknown[]) => void)(...args)
}
