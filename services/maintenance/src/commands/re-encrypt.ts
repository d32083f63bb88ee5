import { checkFingerprints, reEncrypt } from '@payments/platform'
import { domains, runCommand } from '../command.ts'

await runCommand('re-encrypt', async ({ settings, pool }) => {
  await checkFingerprints(pool, domains, settings)
  const done = await reEncrypt(pool, domains, settings)
  for (const [name, values] of Object.entries(done)) process.stdout.write(`${name}: ${values}\n`)
  process.stdout.write('Everything is encrypted with the first key of SECRETS_KEY\n')
  return true
})
