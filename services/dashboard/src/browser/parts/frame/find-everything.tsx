import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { asMoney, exact } from '../format.ts'
import { groupsOf, type Result, resultPath, useEverything, useSettled } from './everything.ts'

/** So many of each kind are offered while one types; the screen of the search has more. */
const OFFERED = 4
const NONE = -1

/**
 * The search of every screen: what a text finds is offered by kind as one types, and Enter shows all of it. ⌘K or Ctrl+K leads to it. It is a
 * combobox as ARIA describes it: the focus stays in the field.
 */
export function FindEverything() {
  const [, navigate] = useLocation()
  const list = useId()
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(NONE)
  const text = useSettled(typed.trim())
  const { data } = useEverything(text, OFFERED)
  const groups = groupsOf(data?.results ?? [])
  const offered = groups.flatMap(([, of]) => of)
  const isShown = isOpen && text !== '' && data !== undefined
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  const go = (path: string) => {
    setTyped('')
    setOpen(false)
    setActive(NONE)
    input.current?.blur()
    navigate(path)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const chosen = isShown ? offered[active] : undefined
    if (chosen) go(resultPath(chosen))
    else if (typed.trim()) go(`/search?text=${encodeURIComponent(typed.trim())}`)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isOpen) {
      event.preventDefault()
      setOpen(false)
    }
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0 || offered.length === 0) return
    event.preventDefault()
    setOpen(true)
    setActive(active === NONE && by < 0 ? offered.length - 1 : (active + by + offered.length) % offered.length)
  }
  const optionId = (index: number) => `${list}-${index}`
  return (
    <form className="find palette" onSubmit={submit}>
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Find anything"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={list}
        aria-keyshortcuts="Meta+K Control+K"
        {...(isShown && offered[active] ? { 'aria-activedescendant': optionId(active) } : {})}
        placeholder="Find anything (⌘K)"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          setActive(NONE)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <div id={list} className="offers" role="listbox" aria-label="Found" hidden={!isShown || offered.length === 0}>
        {groups.map(([title, of]) => (
          // biome-ignore lint/a11y/useSemanticElements: options are grouped so, and no select has these
          <div key={title} role="group" aria-label={title}>
            <p aria-hidden="true">{title}</p>
            {of.map((each) => (
              <Option
                key={each.id}
                of={each}
                id={optionId(offered.indexOf(each))}
                isActive={offered[active] === each}
                open={() => go(resultPath(each))}
              />
            ))}
          </div>
        ))}
      </div>
      <span className="hidden" role="status">
        {isShown && (offered.length === 0 ? 'Nothing found' : `${offered.length} found`)}
      </span>
      {isShown && offered.length === 0 && (
        <span className="nothing">Nothing found. Press Enter to search further.</span>
      )}
    </form>
  )
}

function Option({ of, id, isActive, open }: { of: Result; id: string; isActive: boolean; open: () => void }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={open}
    >
      {of.title} <span className="hint">{detailsOf(of).join(' · ')}</span>
    </div>
  )
}

/** What tells a result from others with its title. */
export const detailsOf = ({ subtitle, amount, status }: Result): readonly string[] =>
  [subtitle, amount === null ? '' : exact(asMoney(amount)), status?.replaceAll('_', ' ') ?? ''].filter(Boolean)
