import encodeQR from 'qr'
import { Html } from '../html/html.ts'

/** A QR code as SVG, which takes the size of its place. It has a white border of its own, so that it is read in dark too. */
export const codeImage = (text: string): Html => new Html(encodeQR(text, 'svg', { ecc: 'medium', border: 4 }))
