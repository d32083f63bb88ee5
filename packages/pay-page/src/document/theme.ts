// Contrast as in WCAG 2.2, 1.4.3 and 1.4.11: relative luminance of sRGB.

const PAGES = { light: '#ffffff', dark: '#11161c' } as const
const schemes = ['light', 'dark'] as const
/** The accent where a merchant has chosen none. */
export const DEFAULT_ACCENT = '#1a56db'
const TEXT_CONTRAST = 4.5
const STEPS = 40

type Rgb = readonly [number, number, number]

const parse = (colour: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Rgb
const write = (rgb: Rgb): string => `#${rgb.map((each) => Math.round(each).toString(16).padStart(2, '0')).join('')}`

function luminance(colour: string): number {
  const [red, green, blue] = parse(colour).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours (`#rrggbb`), from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** The colour, moved towards black or white as little as a readable text on the page needs. */
function readable(colour: string, page: string): string {
  const towards = parse(luminance(page) > 0.5 ? '#000000' : '#ffffff')
  for (let step = 0; step < STEPS; step++) {
    const mixed = write(
      parse(colour).map(
        (value, index) => value + ((towards[index] as number) - value) * (step / STEPS),
      ) as unknown as Rgb,
    )
    if (contrast(mixed, page) >= TEXT_CONTRAST) return mixed
  }
  return write(towards)
}

/** What can be read best on a colour. It is always readable: no colour is near to both black and white. */
const textOn = (colour: string): string =>
  contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000'

const COLOUR = /^#[0-9a-f]{6}$/
/** In dark, the colour around the page is moved so far towards that of the page, in parts of ten. */
const DARKENED = 8

/** A colour and the text on it, as it is shown in light: of an email's button. */
export function accentOf(
  accent: string | null | undefined,
): { readonly colour: string; readonly on: string } | undefined {
  if (!accent || !COLOUR.test(accent)) return undefined
  const colour = readable(accent, PAGES.light)
  return { colour, on: textOn(colour) }
}

/** The colour around the page in both schemes, with the text on it; nothing where none is chosen. */
function surroundings(colour: string | null | undefined): string {
  if (!colour || !COLOUR.test(colour)) return ''
  const page = parse(PAGES.dark)
  const dark = write(
    parse(colour).map((value, index) => value + (((page[index] as number) - value) * DARKENED) / 10) as unknown as Rgb,
  )
  return `;--raised:light-dark(${colour},${dark});--on-raised:light-dark(${textOn(colour)},${textOn(dark)})`
}

/**
 * The colours of a theme, in light and dark: the accent, changed where it could not be read on the page, the text on it, and what is around the page.
 * @param accent `#rrggbb` @param scheme the only scheme, that of the site around a frame or of the merchant @param background `#rrggbb`
 */
export function themeStyle(accent: string, scheme?: 'light' | 'dark', background?: string | null): string {
  const colours = schemes.map((each) => {
    const shown = readable(COLOUR.test(accent) ? accent : DEFAULT_ACCENT, PAGES[each])
    return { shown, on: textOn(shown) }
  })
  const [light, dark] = colours as [(typeof colours)[number], (typeof colours)[number]]
  const only = schemes.find((each) => each === scheme)
  const forced = only ? `html:root{color-scheme:${only}}` : ''
  return `${forced}html:root{--accent:light-dark(${light.shown},${dark.shown});--on-accent:light-dark(${light.on},${dark.on})${surroundings(background)}}`
}
