import type { Outputs } from '@payments/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { queries } from '../../../api.ts'
import { usePlace } from '../../../context.ts'
import { ChangeButton, ChangeInput } from '../../../parts/forms/change.tsx'
import { COUNTRIES, emailCheck } from '../../../parts/forms/checks.ts'
import { ConfirmedForm } from '../../../parts/forms/confirm.tsx'
import type { Values } from '../../../parts/forms/form.tsx'
import { Failure, Screen, Skeleton } from '../../../parts/parts.tsx'
import { refusalOf } from '../../../parts/rights.ts'
import { SettingsTabs } from '../tabs.tsx'
import { Domain } from './domain.tsx'
import { Preview } from './preview.tsx'

type Branding = Outputs['branding']['get']

const colour = (text: string): string | undefined =>
  /^#[\da-f]{6}$/i.test(text) ? undefined : 'Must be a colour like #1a56db'
const site = (text: string): string | undefined =>
  /^https:\/\/\S+$/.test(text) ? undefined : 'Must begin with https://'

/** How the pay page looks, seen while it is changed. */
export function Brand() {
  const place = usePlace()
  const { environment, api, me } = place
  const refused = refusalOf('branding.update', place)
  const [typed, setTyped] = useState<Values>({})
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'branding'],
    queryFn: () => api.branding.get.query({}),
  })
  const of = (name: keyof Branding): string => typed[name] ?? String(data?.[name] ?? '')
  return (
    <Screen title="Branding">
      <SettingsTabs />
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data && (
        <div className="beside">
          <div className="side">
            <Logo of={data} />
            {refused && <p className="note">{refused}</p>}
            <ConfirmedForm
              calls="branding.update"
              label="Save branding"
              changed={setTyped}
              submit={(values) =>
                api.branding.update.mutate(
                  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim() || null])),
                )
              }
              done={() => void queries.invalidateQueries({ queryKey: [environment] })}
              fields={() =>
                (
                  [
                    { name: 'displayName', label: 'Name that payers see', placeholder: me.organisation.name },
                    { name: 'accentColor', label: 'Colour of buttons', placeholder: '#1a56db', check: colour },
                    { name: 'backgroundColor', label: 'Colour around the page', placeholder: '#ffffff', check: colour },
                    {
                      name: 'colorScheme',
                      label: 'Light or dark',
                      options: [
                        ['', 'As the device of the payer'],
                        ['light', 'Light'],
                        ['dark', 'Dark'],
                      ],
                    },
                    { name: 'supportEmail', label: 'Support email', type: 'email', check: emailCheck },
                    { name: 'websiteUrl', label: 'Website', placeholder: 'https://merchant.example', check: site },
                    { name: 'legalName', label: 'Registered name' },
                    { name: 'address', label: 'Postal address' },
                    { name: 'country', label: 'Country', options: COUNTRIES },
                    { name: 'taxId', label: 'Tax number' },
                    { name: 'termsUrl', label: 'Terms of sale', check: site },
                    { name: 'privacyUrl', label: 'Privacy notice', check: site },
                  ] as const
                ).map((field) => ({ ...field, optional: true, initial: String(data[field.name] ?? '') }))
              }
            />
            <Domain of={data} />
          </div>
          <Preview
            name={of('displayName') || me.organisation.name}
            accent={of('accentColor')}
            background={of('backgroundColor')}
            scheme={of('colorScheme')}
            logo={data.logoUrl && new URL(data.logoUrl).pathname}
            support={of('supportEmail')}
          />
        </div>
      )}
    </Screen>
  )
}

const MOST_BYTES = 64_000

/** Uploads a logo as PNG or JPEG. The service draws it again, so that nothing else of the file is served. */
function Logo({ of }: { of: Branding }) {
  const { environment, api } = usePlace()
  const id = useId()
  const renew = () => queries.invalidateQueries({ queryKey: [environment] })
  const upload = useMutation({
    async mutationFn(file: File) {
      if (file.size > MOST_BYTES) throw new Error('The logo must be at most 64 kB')
      const bytes = new Uint8Array(await file.arrayBuffer())
      let text = ''
      for (const byte of bytes) text += String.fromCharCode(byte)
      await api.branding.uploadLogo.mutate({ image: btoa(text) })
    },
    onSuccess: renew,
  })
  const remove = useMutation({ mutationFn: () => api.branding.removeLogo.mutate({}), onSuccess: renew })
  return (
    <div className="logo">
      <label htmlFor={id}>Logo, PNG or JPEG</label>
      <ChangeInput
        calls="branding.uploadLogo"
        id={id}
        type="file"
        accept="image/png,image/jpeg"
        disabled={upload.isPending}
        onChange={({ target }) => target.files?.[0] && upload.mutate(target.files[0])}
      />
      {of.logoUrl && (
        <ChangeButton calls="branding.removeLogo" type="button" className="quiet" onClick={() => remove.mutate()}>
          Remove the logo
        </ChangeButton>
      )}
      <Failure error={upload.error ?? remove.error} />
    </div>
  )
}
