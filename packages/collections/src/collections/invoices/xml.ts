import { escapeXml } from '@payments/pdf'

/** An element with a text or with elements. What is false or null is left out. */
export type Content = string | readonly (string | false | null)[]

export function element(name: string, content: Content, attributes: Readonly<Record<string, string>> = {}): string {
  const inner = typeof content === 'string' ? escapeXml(content) : content.filter((each) => each).join('')
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
  return `<${name}${given.join('')}>${inner}</${name}>`
}
