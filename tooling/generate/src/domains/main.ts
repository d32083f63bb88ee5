// `npm run new -- domain <name> [--provider]`: a working domain, in its list and its documents; with a provider, one that moves money.
// `npm run new -- provider <name> --for fiat`: a working adapter to an imaginary provider, with its fake and its tests.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format, GenerateError, generate, generateProvider, portsWithTemplate } from './generate.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const [kind, name = '', ...options] = process.argv.slice(2)
const provider = options.includes('--provider')
const [flag, port = '', ...more] = options
const isDomain = kind === 'domain' && options.every((option) => option === '--provider')
const isProvider = kind === 'provider' && flag === '--for' && port !== '' && more.length === 0

if (!name || !(isDomain || isProvider))
  stop(
    `Usage: npm run new -- domain <name> [--provider], a plural noun like "tickets"\n       npm run new -- provider <name> --for <${portsWithTemplate.join('|')}>`,
  )
try {
  const folders = isDomain ? generate(root, name, { provider }) : generateProvider(root, name, port)
  format(root, folders)
  process.stdout.write(`${folders.join(' and ')} written. Linking the packages and deriving the documents …\n`)
} catch (error) {
  if (error instanceof GenerateError) stop(error.message)
  throw error
}
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
// Without the digest of the archive, which npx does not compare: `npm start` has.
run('npx', [
  '--yes',
  packageManager.split('+')[0],
  'install',
  '--no-frozen-lockfile',
  '--prefer-offline',
  '--reporter=silent',
])
run(process.execPath, ['tooling/generate/src/documents/main.ts'])
process.stdout.write(`Next: npm run check -- ${name}${provider ? ` ${name}-live` : ''}, then make it yours.\n`)

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, CI: 'true' } })
  if (status !== 0) stop(`${command} ${args.join(' ')} failed`)
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
