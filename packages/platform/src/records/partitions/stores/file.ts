import { createReadStream } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Store } from './store.ts'

/** A folder. A file gets its name once its bytes are on the disk. */
export function fileStore(url: string): Store {
  const folder = fileURLToPath(url)
  return {
    url,
    async put(key, body) {
      const file = join(folder, key)
      const part = `${file}.part`
      try {
        const created = await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        const handle = await open(part, 'w', 0o600)
        try {
          await handle.writeFile(body)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(part, file)
        // The name is an entry of its folder, and a new folder one of the folder above it.
        for (let each = dirname(file); ; each = dirname(each)) {
          await syncFolder(each)
          if (!created || each === dirname(created) || each === dirname(each)) break
        }
      } catch (error) {
        throw new Error(`ARCHIVE_URL: ${file} cannot be written (${(error as Error).message})`, { cause: error })
      }
    },
    async get(key) {
      const file = join(folder, key)
      try {
        const handle = await open(file)
        return createReadStream('', { fd: handle })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw new Error(`ARCHIVE_URL: ${file} cannot be read (${(error as Error).message})`, { cause: error })
      }
    },
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
