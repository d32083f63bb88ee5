import { type Data, dataOf, type Merchant, type Sample } from '../../src/index.ts'

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
