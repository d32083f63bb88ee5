import { useEffect, useRef } from 'react'

interface Look {
  readonly name: string
  readonly accent: string
  readonly background: string
  readonly scheme: string
  readonly logo: string | null
  readonly support: string
}

const HEX = /^#[\da-f]{6}$/i

/** Black or white, whichever can be read on the colour. */
function textOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
  const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) > 0.179 ? '#000000' : '#ffffff'
}

/** A pay page as payers will see it, changed with every letter that is typed. */
export function Preview({ name, accent, background, scheme, logo, support }: Look) {
  const page = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The policy forbids inline styles in markup; a script of ours may set them.
    const style = page.current?.style
    if (!style) return
    const set = (property: string, value: string, valid: boolean) =>
      valid ? style.setProperty(property, value) : style.removeProperty(property)
    set('--accent', accent, HEX.test(accent))
    set('--on-accent', HEX.test(accent) ? textOn(accent) : '', HEX.test(accent))
    set('--around', background, HEX.test(background))
    set('--on-around', HEX.test(background) ? textOn(background) : '', HEX.test(background))
    set('color-scheme', scheme, scheme === 'light' || scheme === 'dark')
  }, [accent, background, scheme])
  return (
    <section className="preview" aria-label="Preview of the pay page" ref={page}>
      <p className="brand">
        {logo && <img src={logo} alt="" />}
        <strong>{name}</strong>
      </p>
      <div className="sheet">
        <p className="hint">Consulting in January</p>
        <p className="main-amount">
          <span className="amount">25 USDC</span>
        </p>
        <p className="choice">USDC on Base</p>
        <p className="choice">USDT on Tron</p>
        <p className="go">Continue</p>
      </div>
      {support && <p className="foot">Questions? {support}</p>}
    </section>
  )
}
