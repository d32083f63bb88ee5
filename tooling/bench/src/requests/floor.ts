// A hand-written server on `node:http` and `pg` that counts the request, looks up the key, and inserts the rows that the service
// inserts for the same request, in one transaction, or reads the rows that it reads and answers with them. No router, no schema
// library, no ORM, no triggers, no foreign keys. Its parent process sends it the case.
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { Pool } from 'pg'

/** Its parameter `$1` is the value; in an insert `$2` is a number that no other execution has. */
export interface FloorStatement {
  readonly text: string
  readonly value: string
}

export interface FloorCase {
  readonly kind: 'read' | 'write'
  readonly statements: readonly FloorStatement[]
  readonly status: number
  readonly reply: string
}

/** Counts a request of this address, and returns how many it has made. */
const LIMIT = `insert into rate_limits as r (bucket, subject, count, ends_at) values ('global', $1, 1, now() + interval '900 seconds')
  on conflict (bucket, subject) do update set
    count = case when r.ends_at <= now() then 1 else r.count + 1 end,
    ends_at = case when r.ends_at <= now() then excluded.ends_at else r.ends_at end
  returning count`

/** The key of these first characters. */
const KEY = `select k.id, k.organisation_id, k.environment, k.digest, k.scopes, (k.revoked_at is not null or k.expires_at <= now()) is true as ended,
  o.suspended_at is not null as suspended from api_keys k join organisations o on o.id = k.organisation_id where k.lookup = $1`

const pool = new Pool({
  connectionString: process.env.DATABASE_OWNER_URL ?? '',
  max: 10,
  options: '-c timezone=UTC -c session_replication_role=replica',
})
let current: FloorCase | undefined
let name = 0
let number = 1_000_000

async function admit(req: IncomingMessage): Promise<boolean> {
  const token = req.headers.authorization?.slice(7)
  await pool.query({ name: 'limit', text: LIMIT, values: [req.socket.remoteAddress] })
  // A payer has no key, and the token of a session is signed.
  if (!token?.startsWith('svc_test_')) return true
  const { rows } = await pool.query<{ digest: string }>({ name: 'key', text: KEY, values: [token.slice(9, 17)] })
  const digest = createHash('sha256').update(token).digest('hex')
  return rows[0] !== undefined && timingSafeEqual(Buffer.from(digest), Buffer.from(rows[0].digest))
}

async function insert({ statements, reply }: FloorCase): Promise<string> {
  if (statements.length === 0) return reply
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const [step, { text, value }] of statements.entries())
      await client.query({ name: `${name}-${step}`, text, values: [value, number++] })
    await client.query('commit')
    return reply
  } finally {
    client.release()
  }
}

async function select({ statements: [statement], reply }: FloorCase): Promise<string> {
  if (!statement) return reply
  const { rows } = await pool.query({ name: String(name), text: statement.text, values: [statement.value] })
  return JSON.stringify({ status: 'success', message: 'Rows', data: rows })
}

async function parse(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

const server = createServer((req, res) => {
  if (req.url === '/health') return void res.end('ok')
  const answer = async () => {
    if (!current || !(await admit(req))) return void res.writeHead(401).end()
    if (req.method === 'POST') await parse(req)
    const reply = await (current.kind === 'write' ? insert(current) : select(current))
    res.writeHead(current.status, { 'content-type': 'application/json; charset=utf-8' }).end(reply)
  }
  answer().catch((error: unknown) => res.writeHead(500).end(String(error)))
})
process.on('message', (message) => {
  current = message as FloorCase
  name++
  process.send?.('ready')
})
server.listen(Number(process.env.PORT), '127.0.0.1')
