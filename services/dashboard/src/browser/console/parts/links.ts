/** Objects that have a screen of their own instead of the one of any object. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  event: '/dead-letters',
  cngn_receipt: '/suspense',
  cngn_record: '/suspense',
  cngn_treasury: '/treasury',
}

/** The address of an object. */
export const objectPath = (kind: string, id: string): string => ELSEWHERE[kind] ?? `/objects/${id}`

export const organisationPath = (id: string): string => `/organisations/${id}`

/** The address of a command with fields that are filled in, and where it leads back to. */
export function commandPath(
  name: string,
  fields: Readonly<Record<string, string | number | null | undefined>> = {},
  back?: string,
): string {
  const given = Object.entries({ ...fields, back })
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([key, value]) => [key, String(value)])
  return `/commands/${name}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
}
