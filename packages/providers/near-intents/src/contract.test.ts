import { afterEach } from 'vitest'
import { random, routesContract } from '#testing'
import { oddly } from '../test/odd.ts'
import { type NearIntentsServer, startNearIntents } from '../test/server.ts'

const CAPABILITIES = { reusableAddresses: false }

const servers: NearIntentsServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
async function begin(): Promise<NearIntentsServer> {
  const server = await startNearIntents()
  servers.push(server)
  return server
}

routesContract('NEAR Intents', CAPABILITIES, begin)
for (const seed of [1, 2, 3])
  routesContract(`NEAR Intents that omits, repeats, reorders and delays (seed ${seed})`, CAPABILITIES, async () => {
    const world = await begin()
    world.distort = oddly(random(seed))
    return Object.assign(world, { looks: 40 })
  })
