/** The scripts of the hosted pay page: built by Vite, served by the gateway. */
export { type Asset, assets } from './assets.ts'
export { build } from './build.ts'
