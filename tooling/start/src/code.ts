import { createInterface } from 'node:readline/promises'
import { mailedCode } from '@payments/stand'

const PATIENCE_MS = 5_000

/** The newest code mailed to an address: from the mail folder of a development service, else typed at the terminal. */
export async function newestCode(dataDir: string, email: string): Promise<string> {
  try {
    return await mailedCode(dataDir, email, PATIENCE_MS)
  } catch (error) {
    if (!process.stdin.isTTY) throw new Error(`${(error as Error).message}: is DATA_DIR the service's?`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const typed = await terminal.question(`Code mailed to ${email}: `)
  terminal.close()
  return typed.trim()
}
