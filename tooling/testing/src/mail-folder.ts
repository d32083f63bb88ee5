import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const PATIENCE_MS = 15_000

/** The code of the newest email to an address in the mail folder of a service without a mail server; waits for it. */
export async function newestCode(dataDir: string, to: string): Promise<string> {
  const folder = join(dataDir, 'mail')
  const until = Date.now() + PATIENCE_MS
  while (Date.now() < until) {
    const files = (await readdir(folder).catch(() => [])).sort().reverse()
    for (const file of files) {
      const raw = await readFile(join(folder, file), 'utf8')
      const code = raw.includes(`To: ${to}`) ? raw.match(/Your code is (\d{6})/)?.[1] : undefined
      if (code) return code
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`No email to ${to} in ${folder}`)
}
