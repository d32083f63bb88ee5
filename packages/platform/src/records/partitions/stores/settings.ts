import { platformSettings, type Settings } from '../../../settings/settings.ts'
import { fileStore } from './file.ts'
import { s3Store } from './s3.ts'
import type { Store } from './store.ts'

/** The store of the settings; undefined where nothing is archived. */
export function storeOf(settings: Settings): Store | undefined {
  const values = platformSettings.from(settings)
  const { ARCHIVE_URL: url } = values
  if (url === undefined) return undefined
  if (url.startsWith('file:')) return fileStore(url)
  return s3Store(url, {
    region: values.ARCHIVE_S3_REGION,
    endpoint: values.ARCHIVE_S3_ENDPOINT ?? `https://s3.${values.ARCHIVE_S3_REGION}.amazonaws.com`,
    accessKeyId: values.ARCHIVE_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: values.ARCHIVE_S3_SECRET_ACCESS_KEY ?? '',
  })
}
