import { type PayData, readAmount, type View, type WrittenAmount } from '@payments/pay-page'
import { type Answer, request } from './api.ts'
import { data, find, stored, text, view } from './page.ts'

const FIELDS: Readonly<Record<string, keyof View['texts']>> = {
  amount: 'errorAmount',
  payerEmail: 'errorEmail',
  refundAddress: 'errorRefund',
}

/** Starts a session with what the form says, and goes to its page. The same form cannot be sent twice at a time. */
export async function start(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector('button')
  if (!button || button.disabled) return
  const entries = new FormData(form)
  const given = (name: string) => String(entries.get(name) ?? '').trim()
  const [networkKey, currency] = given('option').split(':')
  // The form of a session asks for an account.
  const isOfSession = form.id === 'transfer'
  const refundBankAccount = {
    bankCode: given('refundBank'),
    accountNumber: given('refundNumber'),
    accountName: given('refundName'),
  }
  const isTransfer = isOfSession || networkKey === 'bank_transfer'
  const isAccountGiven = Object.values(refundBankAccount).some((value) => value !== '')
  const body = {
    action: 'start',
    ...(isTransfer
      ? { method: 'bank_transfer', ...(isAccountGiven ? { refundBankAccount } : {}) }
      : { networkKey, currency }),
    locale: view().locale,
    ...Object.fromEntries(
      Object.keys(FIELDS)
        .filter((name) => !isTransfer || name !== 'refundAddress')
        .flatMap((name) => (given(name) ? [[name, given(name)]] : [])),
    ),
  }
  if ('amount' in body) {
    const read = readAmount(String(body.amount), view().locale)
    if ('error' in read) return refuse(form, read)
    body.amount = read.amount
  }
  button.disabled = true
  const label = button.textContent
  button.textContent = text('starting')
  const answer = await request(isOfSession ? data().id : data().linkId, body)
  if (answer.status === 200 && answer.data) return go(answer.data.id)
  button.disabled = false
  button.textContent = label
  explain(form, answer)
}

/** Shows the networks of the currency that is chosen; of them, the one that was chosen before, or else the first. */
export function showNetworks(form: HTMLFormElement): void {
  const currency = String(new FormData(form).get('currency') ?? '')
  if (!currency) return
  const [before = ''] = String(new FormData(form).get('option')).split(':')
  for (const fieldset of form.querySelectorAll<HTMLFieldSetElement>('fieldset[data-currency]'))
    fieldset.hidden = fieldset.dataset.currency !== currency
  const radios = form.elements.namedItem('option')
  const shown = [...form.querySelectorAll<HTMLInputElement>('fieldset[data-currency]:not([hidden]) input')]
  const next = shown.find(({ value }) => value === `${before}:${currency}`) ?? shown[0]
  if (radios instanceof RadioNodeList && next) radios.value = next.value
}

/** Keeps the currency and the network that were chosen, for a reload. */
export function keepChoice(form: HTMLFormElement): void {
  const option = String(new FormData(form).get('option'))
  stored((storage) => storage.setItem(choiceKey(), option))
}

const choiceKey = (): string => `choice ${data().linkId}`
const kept = (): string => `form ${data().linkId}`

/** Keeps what was typed and chosen while another language is loaded. */
export function keepForm(): void {
  const form = find<HTMLFormElement>('start')
  if (form) stored((storage) => storage.setItem(kept(), JSON.stringify([...new FormData(form)])))
}

/** Puts back what {@link keepForm} has kept, once, and the choice that was kept, unless another was made meanwhile. */
export function restoreForm(): void {
  const form = find<HTMLFormElement>('start')
  if (!form) return
  const typed = stored((storage) => storage.getItem(kept()))
  stored((storage) => storage.removeItem(kept()))
  const entries = JSON.parse(typed ?? '[]') as [string, string][]
  for (const [name, value] of entries) {
    const field = form.elements.namedItem(name)
    const isTyped = field instanceof HTMLInputElement && field.type !== 'radio'
    if (isTyped || field instanceof HTMLSelectElement) field.value = value
  }
  // What was chosen before this script ran is newer than what was kept.
  const isChosen = [...form.querySelectorAll<HTMLInputElement>('[type="radio"]')].some(
    ({ checked, defaultChecked }) => checked !== defaultChecked,
  )
  if (isChosen) {
    showNetworks(form)
    keepChoice(form)
  } else restoreChoice(form)
}

/** Chooses again what was chosen before, where it is still offered. */
function restoreChoice(form: HTMLFormElement): void {
  const before = stored((storage) => storage.getItem(choiceKey()))
  const option = [...form.querySelectorAll<HTMLInputElement>('[name="option"]')].find(({ value }) => value === before)
  if (!option) return
  const currency = option.value.split(':')[1]
  for (const radio of form.querySelectorAll<HTMLInputElement>('[name="currency"]'))
    radio.checked = radio.value === currency
  option.checked = true
  showNetworks(form)
}

/** An amount that cannot be read, or that may be read in two ways, is not sent. */
function refuse(form: HTMLFormElement, read: Exclude<WrittenAmount, { amount: string }>): void {
  explain(form, { status: 422, data: null, errors: { amount: read.error } })
  if (read.error === 'unclear')
    setText('amount-error', text('errorAmountUnclear', { whole: read.whole, decimal: read.decimal }))
}

function go(id: string): void {
  const address = new URL(location.href)
  address.pathname = `/pay/${id}`
  location.assign(address)
}

function explain(form: HTMLFormElement, { status, errors }: Answer): void {
  const isAccountWrong = Object.keys(errors).some((name) => name.startsWith('refundBankAccount'))
  setText('refundAccount-error', isAccountWrong ? text('errorAccount') : '')
  if (isAccountWrong) {
    find('refundBank')?.focus()
    return
  }
  const wrong = Object.keys(FIELDS).filter((name) => errors[name] && find(name))
  for (const name of Object.keys(FIELDS)) {
    find(name)?.setAttribute('aria-invalid', String(wrong.includes(name)))
    setText(`${name}-error`, wrong.includes(name) ? text(FIELDS[name] as keyof View['texts']) : '')
  }
  const other = Object.keys(errors).find((name) => !wrong.includes(name))
  const general = wrong.length === 0 ? reasonOf(status, other && errors[other]) : ''
  setText(form.id === 'transfer' ? 'transfer-error' : 'start-error', general)
  const first = wrong[0] ? find(wrong[0]) : form.querySelector('button')
  first?.focus()
}

function reasonOf(status: number, message: string | undefined): string {
  if (message) return text('errorField', { message })
  if (status === 429) return text('errorMany')
  if (status === 409 || status === 404) return text('errorClosed')
  return status === 0 ? text('offline') : text('errorTry')
}

function setText(id: string, value: string): void {
  const place = find(id)
  if (place) place.textContent = value
}

/** Cancels the session that is shown. @returns what the page shows then; undefined when it was not possible. */
export async function cancel(button: HTMLButtonElement): Promise<PayData | undefined> {
  button.disabled = true
  const { status } = await request(data().id, { action: 'cancel' })
  // Whatever was answered, the present state says more: a payment may have arrived in the same moment.
  const page = await request(data().id)
  button.disabled = false
  setText('pay-error', status === 200 ? '' : reasonOf(status, undefined))
  return page.status === 200 ? (page.data as PayData) : undefined
}
