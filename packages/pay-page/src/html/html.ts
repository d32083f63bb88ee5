/** Text that is safe to put into a page. Only this module and templates make it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

type Part = Html | string | number | false | null | undefined | readonly Part[]

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

function written(part: Part): string {
  if (part === false || part === null || part === undefined) return ''
  if (part instanceof Html) return part.text
  return typeof part === 'object' ? part.map(written).join('') : escapeText(String(part))
}

/** A template whose values are escaped, unless they are templates themselves. Nothing is written for false, null and undefined. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((all, text, index) => all + written(parts[index - 1]) + text))
