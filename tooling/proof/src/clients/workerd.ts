import { spawn } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@payments/stand'
import type { Place } from './place.ts'

const WORKER = `import { Payments, webhooks } from './esm/index.js'

export default {
  async fetch(request) {
    const { url, key } = await request.json()
    const payments = new Payments({ url, apiKey: key })
    const customer = await payments.customers.create({ name: 'Ada Obi', email: 'worker@example.com' })
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
    const body = JSON.stringify({ id: 'evt', type: 'webhook.test', data: {} })
    const event = await webhooks.constructEvent(body, await webhooks.testHeaders(body, secret), secret)
    return new Response(customer.lastResponse.status + ' ' + event.type)
  },
}
`

/** The SDK in the runtime of workers: a call and a verified signature. */
export async function inWorkerd({ folder, modules, url, key }: Place): Promise<string> {
  const port = await freePort()
  const package_ = join(modules, '@payments/sdk')
  const files = globSync('esm/**/*.js', { cwd: package_ })
  writeFileSync(join(folder, 'worker.js'), WORKER)
  const listed = files.map((file) => `(name = "${file}", esModule = embed "node_modules/@payments/sdk/${file}")`)
  writeFileSync(
    join(folder, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js"), ${listed.join(', ')}],
      compatibilityDate = "2025-01-01",
      globalOutbound = "local",
    )),
    (name = "local", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
  )
  const child = spawn(join(modules, '.bin/workerd'), ['serve', join(folder, 'worker.capnp')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const printed: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk))
  try {
    for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt++) {
      const reply = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        body: JSON.stringify({ url, key }),
      }).catch(() => undefined)
      if (reply) return await reply.text()
      await pause(100)
    }
    return Buffer.concat(printed).toString()
  } finally {
    child.kill()
  }
}
