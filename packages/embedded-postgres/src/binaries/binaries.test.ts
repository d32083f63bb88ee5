import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { eventually, processesIn, temporaryDirectory, testServer } from '../../test/servers.ts'
import { trustedCopy } from './binaries-copy.ts'

const binaries = vi.hoisted(() => ({ folder: '' }))
vi.mock('./binaries.ts', async (actual) => ({
  ...(await actual<typeof import('./binaries.ts')>()),
  findBinaries: () => binaries.folder,
}))

test('a server whose programs were deleted is reported as lost once, within 5 s, in one sentence, and leaves no process', async () => {
  const { nativeFolder } = await import('./binaries.ts')
  // The path of a checkout may contain spaces.
  binaries.folder = join(trustedCopy(nativeFolder(), join(temporaryDirectory(), 'native copy')), 'bin')
  const server = await testServer()
  rmSync(dirname(binaries.folder), { recursive: true })
  server.kill()
  await eventually(() => expect(server.onLost).toHaveBeenCalledOnce())
  expect(server.onLost.mock.lastCall?.[0].message).toMatch(
    /^DATA_DIR: the database in \S+ stopped and does not start again \(spawn .+\/bin\/postgres ENOENT\)$/,
  )
  await server.stop()
  expect(processesIn(server.data)).toEqual([])
  expect(server.onRestart).not.toHaveBeenCalled()
})
