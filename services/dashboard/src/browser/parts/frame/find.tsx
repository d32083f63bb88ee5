import type { FormEvent } from 'react'
import { useLocation } from 'wouter'

/** The search field of every screen. `resultOf` is the address that shows what a text finds. */
export function Find({ placeholder, resultOf }: { placeholder: string; resultOf: (text: string) => string }) {
  const [, navigate] = useLocation()
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const text = String(new FormData(form).get('find') ?? '').trim()
    if (text) navigate(resultOf(text))
    form.reset()
  }
  return (
    <form className="find" onSubmit={find}>
      <input name="find" type="search" aria-label="Find anything" placeholder={placeholder} />
    </form>
  )
}
