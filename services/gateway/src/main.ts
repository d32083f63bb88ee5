// Starts the service: from its bundle, where that was built of the sources as they are now.
import { bundled } from '@payments/bundle'

const bundle = bundled()
// The stack of an error names the sources.
if (bundle) process.setSourceMapsEnabled(true)
await (bundle ? import(bundle) : import('./internal/process.ts'))
