// Contrast as in WCAG 2.2, 1.4.3 and 1.4.11: relative luminance of sRGB.

const PAGES = { light: '#ffffff', dark: '#11161c' } as const
const schemes = ['light', 'dark'] as const
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

/**
 * The colours of a theme, in light and dark: the accent, changed where it could not be read on the page, and the text
 * on it. @param accent `#rrggbb` @param scheme the only scheme, in the frame of a site that has it
 */
export function themeStyle(accent: string, scheme?: 'light' | 'dark'): string {
  const colours = schemes.map((scheme) => {
    const shown = readable(accent, PAGES[scheme])
    return { shown, on: contrast(shown, '#ffffff') >= contrast(shown, '#000000') ? '#ffffff' : '#000000' }
  })
  const [light, dark] = colours as [(typeof colours)[number], (typeof colours)[number]]
  const only = schemes.find((each) => each === scheme)
  const forced = only ? `html:root{color-scheme:${only}}` : ''
  return `${forced}:root{--accent:light-dark(${light.shown},${dark.shown});--on-accent:light-dark(${light.on},${dark.on})}`
}
