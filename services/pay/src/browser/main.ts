// The script of the pay page. Without it the page can be read; with it, chosen, copied and watched.
import { copy } from './copy.ts'
import { startCountdown } from './countdown.ts'
import { cancel, keepChoice, keepForm, restoreForm, showNetworks, start } from './form.ts'
import { reportToHost, returnToMerchant } from './frame.ts'
import { keepUpToDate, lookAgain } from './live.ts'
import { choose, show, showOwnZone } from './page.ts'
import { offerWallets } from './wallets/offer.ts'

document.documentElement.classList.add('script')

// The content is written again when it changes, so the listeners are on the page.
document.addEventListener('submit', (event) => {
  if (!(event.target instanceof HTMLFormElement)) return
  event.preventDefault()
  start(event.target).catch(report)
})
document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : null
  if (target?.closest('a[hreflang]')) keepForm()
  const button = target?.closest('button')
  if (button?.dataset.copy) copy(button).catch(report)
  if (button?.id === 'look-again') lookAgain(button).catch(report)
  if (button?.id === 'cancel')
    cancel(button)
      .then((page) => page && show(page))
      .catch(report)
})
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement && target.id === 'wallet')
    choose({ wallet: target.value, addressOnly: undefined })
  if (target instanceof HTMLInputElement && target.form?.id === 'start' && target.type === 'radio') {
    if (target.name === 'currency') showNetworks(target.form)
    keepChoice(target.form)
  }
  if (target instanceof HTMLInputElement && target.id === 'address-only') choose({ addressOnly: target.checked })
})

showOwnZone()
restoreForm()
offerWallets()
startCountdown()
reportToHost()
returnToMerchant()
keepUpToDate()

/** A fault of this script is shown where a developer looks for it. */
function report(error: unknown): void {
  reportError(error)
}
