import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@payments/kernel'
import type { Data, Reply } from '../service/client.ts'

const PATIENCE_MS = 90_000

/** Creates a customer, enables cNGN for it and lets this amount arrive in its account. Returns its id. @throws Error when that fails */
export async function cngnCustomer(
  send: (line: string, body?: object) => Promise<Reply>,
  amount: string,
): Promise<string> {
  const data = async (line: string, body?: object): Promise<Data> => {
    const reply = await send(line, body)
    if (reply.status >= 300) throw new Error(`${line}: ${reply.status} ${reply.text}`)
    return reply.data
  }
  const { id } = await data('POST /v1/customers', { name: 'Ada Obi', email: `${newId()}@example.com` })
  await data(`POST /v1/cngn/customers/${id}/enable`, { bvn: '22212345678' })
  await until(async () => (await data(`GET /v1/customers/${id}`)).cngn.status === 'enabled')
  await data(`POST /v1/sandbox/cngn/customers/${id}/bank-transfers`, { amount })
  await until(async () => (await data(`GET /v1/cngn/customers/${id}/balance`)).available === amount)
  return id
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(200)) if (await reached()) return
  throw new Error('A customer did not get its cNGN')
}
