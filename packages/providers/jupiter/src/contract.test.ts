import { afterEach } from 'vitest'
import { swapsContract } from '#testing'
import { startWorld, type World } from '../test/world.ts'

const worlds: World[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

swapsContract('Jupiter on a real virtual machine', async () => {
  const world = await startWorld()
  worlds.push(world)
  return world
})
