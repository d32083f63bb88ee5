import { useEffect, useRef } from 'react'

/** The values of one filter, which stand in the address with a comma between them. */
export const valuesIn = (text: string | null | undefined): string[] => (text ?? '').split(',').filter(Boolean)

/**
 * A choice of any number of values: it says what is chosen and opens to all choices. A value that is no option can still be left out. The
 * values are in the order of the options, or (`inForm`) in that in which they were chosen.
 */
export function Several({
  label,
  options,
  chosen,
  choose,
  none = 'All',
  inForm = false,
}: {
  label: string
  options: readonly (readonly [value: string, shown: string])[]
  chosen: readonly string[]
  choose: (values: readonly string[]) => void
  /** What it says while nothing is chosen. */
  none?: string
  inForm?: boolean
}) {
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const closeAfter = (event: Event) => {
      const { current } = details
      if (!current?.open) return
      // In a form it takes room: closing would move what is being pressed.
      if (inForm && !(event instanceof KeyboardEvent)) return
      if (event instanceof KeyboardEvent ? event.key !== 'Escape' : current.contains(event.target as Node)) return
      if (event instanceof KeyboardEvent) current.querySelector('summary')?.focus()
      current.open = false
    }
    const events = ['pointerdown', 'focusin', 'keydown'] as const
    for (const each of events) document.addEventListener(each, closeAfter)
    return () => {
      for (const each of events) document.removeEventListener(each, closeAfter)
    }
  }, [inForm])
  const unknown = chosen.filter((value) => !options.some(([option]) => option === value))
  const all = [...options, ...unknown.map((value) => [value, value] as const)]
  const names = chosen.map((value) => all.find(([each]) => each === value)?.[1] ?? value)
  const change = (value: string, isChosen: boolean) => {
    const others = chosen.filter((each) => each !== value)
    const next = isChosen ? [...others, value] : others
    choose(inForm ? next : all.map(([each]) => each).filter((each) => next.includes(each)))
  }
  return (
    <div className="several">
      <span aria-hidden="true">{label}</span>
      <details ref={details}>
        <summary>
          <span className="hidden">{label}: </span>
          {names.length === 0 ? none : inForm || names.length === 1 ? names.join(', ') : `${names.length} chosen`}
        </summary>
        <fieldset>
          <legend className="hidden">{label}</legend>
          {all.map(([value, shown]) => (
            <label key={value}>
              <input
                type="checkbox"
                checked={chosen.includes(value)}
                onChange={({ target }) => change(value, target.checked)}
              />
              {shown}
            </label>
          ))}
        </fieldset>
      </details>
    </div>
  )
}
