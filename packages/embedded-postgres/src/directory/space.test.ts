import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cleanUp, query, temporaryDirectory } from '../../test/servers.ts'
import { startEmbedded } from '../index.ts'

const mount = (size: string, at: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at]).status === 0

const probe = temporaryDirectory()
const mayMount = process.getuid?.() === 0 && mount('1m', probe)
if (mayMount) spawnSync('umount', [probe])

test.skipIf(!mayMount)(
  'a disk that is too full for a new database is named with what it has left, and a start after space was made works',
  async () => {
    const disk = temporaryDirectory()
    const directory = join(disk, 'data')
    mount('12m', disk)
    cleanUp(() => spawnSync('umount', [disk]))
    chmodSync(disk, 0o755)
    await expect(startEmbedded(directory)).rejects.toThrow(
      `DATA_DIR: the disk of ${directory} is full: it has 12 MB left, a new database needs 100 MB`,
    )
    expect(readdirSync(directory)).toEqual([])
    spawnSync('mount', ['-o', 'remount,size=400m', disk])
    const server = await startEmbedded(directory, { settings: ['fsync=off'] })
    cleanUp(() => server.destroy())
    expect(await query(server.ownerUrl(), 'select 1 as one')).toEqual([{ one: 1 }])
  },
)
