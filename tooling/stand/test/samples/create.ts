import type { Answer, Merchant, Sample } from '../../src/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
export type Data = any

/** The data of a reply that must be a success. @throws Error otherwise */
export async function dataOf(line: string, answer: Promise<Answer>): Promise<Data> {
  const { status, text, body } = await answer
  if (status >= 300) throw new Error(`${line}: ${status} ${text}`)
  return body.data
}

/** Creates a typical object and returns the response's data. */
export const create = (
  merchant: Merchant,
  { path, body }: Sample,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Data> => dataOf(path, merchant.call(`POST ${path}`, { body: body(given) }))

/** Lets money for an object arrive in the sandbox. */
export function pay(
  merchant: Merchant,
  { fund }: Required<Pick<Sample, 'fund'>>,
  id: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Data> {
  const [line, body] = fund(id, given)
  return dataOf(line, merchant.call(line, { body }))
}
