import { useEffect, useRef } from 'react'

/** The values of one filter, which stand in the address with a comma between them. */
export const valuesIn = (text: string | null): string[] => (text ?? '').split(',').filter(Boolean)

/** A filter of any number of values: it says what is chosen and opens to all choices. A value that is no option can still be left out. */
export function Several({
  label,
  options,
  chosen,
  choose,
}: {
  label: string
  options: readonly (readonly [value: string, shown: string])[]
  chosen: readonly string[]
  choose: (values: readonly string[]) => void
}) {
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const closeAfter = (event: Event) => {
      const { current } = details
      if (!current?.open) return
      if (event instanceof KeyboardEvent ? event.key !== 'Escape' : current.contains(event.target as Node)) return
      if (event instanceof KeyboardEvent) current.querySelector('summary')?.focus()
      current.open = false
    }
    const events = ['pointerdown', 'focusin', 'keydown'] as const
    for (const each of events) document.addEventListener(each, closeAfter)
    return () => {
      for (const each of events) document.removeEventListener(each, closeAfter)
    }
  }, [])
  const unknown = chosen.filter((value) => !options.some(([option]) => option === value))
  const all = [...options, ...unknown.map((value) => [value, value] as const)]
  const [only] = all.filter(([value]) => value === chosen[0]).map(([, shown]) => shown)
  return (
    <div className="several">
      <span aria-hidden="true">{label}</span>
      <details ref={details}>
        <summary>
          <span className="hidden">{label}: </span>
          {chosen.length === 0 ? 'All' : chosen.length === 1 ? only : `${chosen.length} chosen`}
        </summary>
        <fieldset>
          <legend className="hidden">{label}</legend>
          {all.map(([value, shown]) => (
            <label key={value}>
              <input
                type="checkbox"
                checked={chosen.includes(value)}
                onChange={({ target }) =>
                  choose(
                    all
                      .map(([each]) => each)
                      .filter((each) => (each === value ? target.checked : chosen.includes(each))),
                  )
                }
              />
              {shown}
            </label>
          ))}
        </fieldset>
      </details>
    </div>
  )
}
