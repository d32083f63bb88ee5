import { CallError } from '@payments/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { clients } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { isOwner } from '../../parts/rights.ts'

/** What merchants know by name. */
const SHOWN = ['routes', 'fiat', 'swaps', 'cngn']

/** Undefined where the operators must still enable live access. */
async function unlessRefused<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (error instanceof CallError && error.code === 'live_not_enabled') return undefined
    throw error
  }
}

/** What is missing before real money moves, and who must act; gone when nothing is. */
export function GoLive() {
  const { me } = usePlace()
  const { data } = useQuery({
    // The environment is not the one that is shown.
    queryKey: ['live', 'going-live'],
    async queryFn() {
      const { live } = clients
      const [keys, refunds, endpoints] = await Promise.all([
        live.apiKeys.list.query({}),
        unlessRefused(live.paymentRoutes.refundAddresses.query({})),
        unlessRefused(live.webhooks.list.query({})),
      ])
      return {
        access: refunds !== undefined,
        key: keys.apiKeys.some(({ environment, revokedAt }) => environment === 'live' && !revokedAt),
        refund: Object.values(refunds?.organisation ?? {}).some(Boolean),
        endpoint: (endpoints?.total ?? 0) > 0,
      }
    },
  })
  const lacks = me.unavailable.filter(({ environment }) => environment === 'live')
  // Without routes nobody can pay; not every installation has the others.
  const isServed = lacks.every(({ capability }) => capability !== 'routes')
  if (!data || (Object.values(data).every(Boolean) && isServed)) return null
  const owner = isOwner(me.organisation.role) ? 'You' : 'An owner of the organisation'
  const steps = [
    {
      name: 'Live access',
      who: 'The operators of this service enable it: ask them',
      done: data.access,
      path: undefined,
    },
    {
      name: 'Providers',
      who: `Ask the operators of this service. ${lacks
        .filter(({ capability }) => SHOWN.includes(capability))
        .map(({ message }) => message.replace(/ in the live environment$/, ''))
        .join('. ')}`,
      done: isServed,
      path: undefined,
    },
    { name: 'A live API key', who: `${owner} can create it`, done: data.key, path: '/keys' },
    {
      name: 'A refund address',
      who: `${owner} can set it: payments that cannot be delivered go there`,
      done: data.refund,
      path: '/settings/payments',
    },
    { name: 'A live webhook endpoint', who: 'You can add it', done: data.endpoint, path: '/webhooks' },
  ]
  return (
    <section className="steps" aria-label="Go live">
      <div className="head">
        <h2>Go live</h2>
        <a href="/docs/going-live">Read what changes</a>
      </div>
      <ol>
        {steps.map(({ name, who, done, path }) => (
          <li key={name} className={done ? 'done' : ''}>
            <span className="tick" role="img" aria-label={done ? 'Done' : 'Not done'} />
            <div>
              {done || !path || !data.access ? name : <Link href={`~/dashboard/live${path}`}>{name}</Link>}
              {!done && <p className="hint">{who}</p>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}
