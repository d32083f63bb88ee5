import { newId } from '@payments/kernel'
import { signedHeaders } from '@payments/webhooks'
import { Client, type Pool } from 'pg'
import { Agent, request } from 'undici'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** The table of the floor: one row per attempt, nothing else. */
export async function createFloor(ownerUrl: string): Promise<void> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  await client.query(
    'create table floor_attempts (id bigint generated always as identity primary key, delivery uuid, status int, duration_ms int, at timestamptz default now()); grant all on floor_attempts to public',
  )
  await client.end()
}

/** The minimum of a delivery: sign the body, post it, insert the attempt. `concurrency` at a time to each origin. */
export async function deliverAll(
  pool: Pool,
  origins: readonly string[],
  bodies: readonly string[],
  concurrency: number,
): Promise<void> {
  const agent = new Agent({ keepAliveTimeout: 4000, allowH2: false })
  const one = async (origin: string, body: string) => {
    const started = performance.now()
    const deliveryId = newId()
    const answer = await request(`${origin}/hooks`, {
      method: 'POST',
      dispatcher: agent,
      body,
      headers: signedHeaders({
        secrets: [SECRET],
        eventType: 'payment_route.created',
        deliveryId,
        eventId: newId(),
        body,
        at: new Date(),
      }),
    })
    await answer.body.dump()
    await pool.query('insert into floor_attempts (delivery, status, duration_ms) values ($1, $2, $3)', [
      deliveryId,
      answer.statusCode,
      Math.round(performance.now() - started),
    ])
  }
  await Promise.all(
    origins.flatMap((origin) => {
      const queue = bodies.values()
      return Array.from({ length: concurrency }, async () => {
        for (const body of queue) await one(origin, body)
      })
    }),
  )
  await agent.close()
}
