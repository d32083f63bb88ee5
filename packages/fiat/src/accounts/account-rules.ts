import { channels, type FiatCurrency, fiatCurrencies } from '../currencies/currencies.ts'
import type { Account, Institution } from '../provider/provider.ts'

/** How the accounts of an institution are written. */
export interface AccountRule {
  readonly format: 'nuban' | 'account_number' | 'phone_number' | 'm_pesa'
  /** Regular expression of `accountNumber`; for M-Pesa, of the channel `mobile`. */
  readonly pattern: string
  readonly description: string
  /** The values of `channel`; null where an account has none. */
  readonly channels: readonly string[] | null
}

/** Mobile money with tills and paybills beside phone numbers. */
const M_PESA = 'SAFAKEPC'

/** The rule of an institution's accounts. */
export function accountRule(currency: FiatCurrency, institution: Pick<Institution, 'code' | 'type'>): AccountRule {
  const {
    callingCode,
    mobile: [subscriber, example],
  } = fiatCurrencies[currency]
  if (institution.type === 'mobile_money') {
    const phone = `E.164 with the calling code of the country, like +${callingCode}${example}`
    const pattern = `^\\+${callingCode}${subscriber}$`
    if (institution.code !== M_PESA) return { format: 'phone_number', pattern, description: phone, channels: null }
    return {
      format: 'm_pesa',
      pattern,
      description: `Channel \`mobile\` (default): ${phone}. Channel \`till\`: the till number, 5 to 8 digits. Channel \`paybill\`: the account at the paybill, 1 to 20 letters and digits, with \`businessNumber\`, 5 to 7 digits`,
      channels,
    }
  }
  return currency === 'NGN'
    ? { format: 'nuban', pattern: '^\\d{10}$', description: '10 digits (NUBAN)', channels: null }
    : { format: 'account_number', pattern: '^\\d{5,20}$', description: '5 to 20 digits', channels: null }
}

/** What is wrong with an account by the rule of its institution, by the field of `bankAccount`. */
export function accountMistakes(
  rule: AccountRule,
  { accountNumber, channel, businessNumber }: Pick<Account, 'accountNumber' | 'channel' | 'businessNumber'>,
): Record<string, string> {
  const wrong: Record<string, string> = {}
  const mPesa = rule.format === 'm_pesa'
  if (channel && !mPesa) wrong.channel = 'Must be absent: accounts of this institution have no channel'
  if (businessNumber && !(mPesa && channel === 'paybill'))
    wrong.businessNumber = 'Must be absent without channel "paybill"'
  if (mPesa && channel === 'till') {
    if (!/^\d{5,8}$/.test(accountNumber)) wrong.accountNumber = 'Must be a till number of 5 to 8 digits'
  } else if (mPesa && channel === 'paybill') {
    if (!/^[A-Za-z0-9]{1,20}$/.test(accountNumber)) wrong.accountNumber = 'Must be 1 to 20 letters and digits'
    if (!businessNumber) wrong.businessNumber = 'Required with channel "paybill"'
    else if (!/^\d{5,7}$/.test(businessNumber)) wrong.businessNumber = 'Must be 5 to 7 digits'
  } else if (!new RegExp(rule.pattern).test(accountNumber)) {
    wrong.accountNumber = `Must be ${mPesa ? 'a phone number in E.164 with the calling code of the country' : rule.description}`
  }
  return wrong
}
