import { plainName } from '@payments/accounts'
import { networkOf } from '@payments/kernel'
import { isShort, type MoneyData, type Reading, readingOf, texts, undecided, type Wording } from '@payments/pay-page'

/** What the networks of a session and of its payments are called. */
export const networksOf = ({
  networkKey,
  payments,
}: {
  readonly networkKey: string
  readonly payments: readonly { readonly networkKey: string | null }[]
}): Wording['networks'] =>
  Object.fromEntries(
    [networkKey, ...payments.map((payment) => payment.networkKey)].flatMap((key) => {
      const network = key === null ? undefined : networkOf(key)
      return network ? [[network.key, { name: network.name, type: network.type }] as const] : []
    }),
  )

/**
 * What merchants and operators are told of the money of a session: the sentences of the pay page's table for them.
 * @param about the place among the payments of the one that a message is about; without it, the one that matters most
 */
export function sessionReading(data: MoneyData, about?: number): Reading {
  const { session } = data
  // A token that this service does not know has the name that its issuer chose.
  const payments = session.payments.map((each) => ({ ...each, currency: plainName(each.currency) }))
  // A paid session may have money beside it that nobody has decided about.
  const [open] = session.status === 'paid' ? undecided('paid', payments, isShort) : []
  return readingOf(
    { ...data, session: { ...session, payments } },
    { locale: 'en', networks: networksOf(session), texts: texts.en },
    about === undefined ? open : payments[about],
  )
}

/** A reading as the API shows it to one of its readers. */
export const presentSituation = (
  { situation: { what, when, outcome }, claims, ...told }: Reading,
  reader: 'merchant' | 'operator',
) => ({ what, when, outcome, ...claims, ...told[reader] })
