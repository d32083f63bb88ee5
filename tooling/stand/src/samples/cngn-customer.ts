import { type Answer, type Data, dataOf, until } from '../service/client.ts'
import { BVN, samples } from './samples.ts'

const PATIENCE = { patienceMs: 90_000 }

/** Creates a customer, enables cNGN for it and lets this amount arrive in its account. Returns its id. @throws Error when that fails */
export async function cngnCustomer(
  send: (line: string, body?: object) => Promise<Answer>,
  amount: string,
): Promise<string> {
  const data = (line: string, body?: object): Promise<Data> => dataOf(line, send(line, body))
  const { id } = await data(`POST ${samples.customer.path}`, samples.customer.body())
  await data(`POST /v1/cngn/customers/${id}/enable`, { bvn: BVN })
  const enabled = async () => (await data(`GET /v1/customers/${id}`)).cngn.status === 'enabled'
  await until('cNGN is enabled', enabled, PATIENCE)
  await data(`POST /v1/sandbox/cngn/customers/${id}/bank-transfers`, { amount })
  const arrived = async () => (await data(`GET /v1/cngn/customers/${id}/balance`)).available === amount
  await until('The cNGN have arrived', arrived, PATIENCE)
  return id
}
