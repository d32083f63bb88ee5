import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'

/** The code of the newest email to an address: from the mail folder of a development service, else typed at the terminal. */
export async function newestCode(dataDir: string, email: string): Promise<string> {
  const folder = join(dataDir, 'mail')
  for (let tries = 0; tries < 50; tries++) {
    const files = (await readdir(folder).catch(() => [])).sort().reverse()
    for (const file of files.slice(0, 20)) {
      const message = await readFile(join(folder, file), 'utf8')
      const code = message.includes(email) ? message.match(/Your code is (\d{6})/)?.[1] : undefined
      if (code) return code
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  if (!process.stdin.isTTY) throw new Error(`No email to ${email} in ${folder}: is DATA_DIR the service's?`)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const code = await terminal.question(`Code mailed to ${email}: `)
  terminal.close()
  return code.trim()
}
