import { cngnNetworks } from '@payments/cngn'
import { networkOf, parseAddress } from '@payments/kernel'
import { defineSettings, listSetting, SettingsError } from '@payments/platform'
import { z } from 'zod'

/** `base:0x…`: a network of cNGN and an address on it. */
function treasuryAddress(part: string): [networkKey: string, address: string] | string {
  const at = part.indexOf(':')
  const [key, text] = [part.slice(0, at), part.slice(at + 1)]
  const network = cngnNetworks.some(({ networkKey }) => networkKey === key) ? networkOf(key) : undefined
  if (!network) return `must be like base:0x…, with networks of cNGN; not "${part}"`
  // What operators configure may be the vault of a multisig.
  const parsed = parseAddress(network.type, text, { allowOffCurve: true })
  return 'error' in parsed ? `${key}: ${parsed.error}` : [key, parsed.address]
}

/** Settings of the Relay adapter. It is bound when it has a key. */
export const relaySettings = defineSettings(
  {
    RELAY_API_KEY: z.string().min(1).optional().describe('Key of Relay; payment routes are available live with it'),
    RELAY_BASE_URL: z
      .url({ protocol: /^https$/, error: 'must be an https:// URL' })
      .default('https://api.relay.link')
      .describe('Address of the Relay API'),
    RELAY_REQUESTS_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(6)
      .max(60_000)
      .default(150)
      .describe('Polls of deposit addresses, over all processes; a plain key may make 200 calls a minute'),
    RELAY_QUOTES_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(4)
      .max(60_000)
      .default(50)
      .describe(
        'Quotes, over all processes: one for each payment route and checkout session; a plain key may make 50 a minute',
      ),
    RELAY_CNGN_TREASURY: listSetting
      .transform((parts, context) => {
        const addresses: Record<string, string> = {}
        for (const part of parts) {
          const parsed = treasuryAddress(part)
          if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: parsed })
          else addresses[parsed[0]] = parsed[1]
        }
        return addresses
      })
      .default({})
      .describe(
        'Addresses of the cNGN treasury, such as `base:0x…`: converts out of cNGN are available over these networks, and one that fails comes back there',
      ),
  },
  (values, { production }) => {
    if (values.RELAY_API_KEY && !production)
      throw new SettingsError('RELAY_API_KEY: live providers are for NODE_ENV=production only')
    return values
  },
)
