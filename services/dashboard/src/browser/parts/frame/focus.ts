const FOCUSABLE = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]'

/** What had the focus, and what it was in, from the inside on. */
interface Holder {
  readonly element: HTMLElement
  readonly around: readonly Element[]
  /** It was disabled since, as a button is while its call is in flight. */
  wasDisabled: boolean
}

/**
 * Gives the focus of a reader by keyboard back where the page took it away: to a button that was disabled for a while, and after an element
 * that is gone to the heading, or else the first control, of what is left around it.
 */
export function keepFocus(): void {
  let holder: Holder | undefined
  let isPlanned = false
  document.addEventListener('focusin', ({ target }) => {
    holder = undefined
    if (!(target instanceof HTMLElement) || !target.matches(':focus-visible')) return
    const around: Element[] = []
    for (let each = target.parentElement; each; each = each.parentElement) around.push(each)
    holder = { element: target, around, wasDisabled: false }
  })
  document.addEventListener('pointerdown', () => {
    holder = undefined
  })
  const restore = () => {
    isPlanned = false
    if (!holder || (document.activeElement && document.activeElement !== document.body)) return
    const { element, around, wasDisabled } = holder
    if (element.isConnected) {
      if (wasDisabled && !element.matches(':disabled')) element.focus()
      return
    }
    for (const each of around) {
      if (!each.isConnected || !each.checkVisibility()) continue
      const heading = each.querySelector<HTMLElement>('h1, h2')
      if (heading) heading.tabIndex = -1
      const next = heading ?? each.querySelector<HTMLElement>(FOCUSABLE)
      if (next) return next.focus()
    }
  }
  new MutationObserver(() => {
    if (holder?.element.matches(':disabled')) holder.wasDisabled = true
    if (isPlanned) return
    isPlanned = true
    // After the effects of what was drawn, which may give the focus themselves.
    setTimeout(restore, 50)
  }).observe(document.documentElement, {
    ...{ childList: true, subtree: true },
    ...{ attributes: true, attributeFilter: ['disabled'] },
  })
}
