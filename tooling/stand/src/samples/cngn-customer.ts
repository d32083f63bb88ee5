import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Data, dataOf } from '../service/client.ts'
import { BVN, samples } from './samples.ts'

const PATIENCE_MS = 90_000

/** Creates a customer, enables cNGN for it and lets this amount arrive in its account. Returns its id. @throws Error when that fails */
export async function cngnCustomer(
  send: (line: string, body?: object) => Promise<Answer>,
  amount: string,
): Promise<string> {
  const data = (line: string, body?: object): Promise<Data> => dataOf(line, send(line, body))
  const { id } = await data(`POST ${samples.customer.path}`, samples.customer.body())
  await data(`POST /v1/cngn/customers/${id}/enable`, { bvn: BVN })
  await until(async () => (await data(`GET /v1/customers/${id}`)).cngn.status === 'enabled')
  await data(`POST /v1/sandbox/cngn/customers/${id}/bank-transfers`, { amount })
  await until(async () => (await data(`GET /v1/cngn/customers/${id}/balance`)).available === amount)
  return id
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(200)) if (await reached()) return
  throw new Error('A customer did not get its cNGN')
}
