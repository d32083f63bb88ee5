import { FACTUR_X_FILE } from './facturx.ts'
import { element } from './xml.ts'

const FX = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#'
const properties = [
  ['DocumentFileName', FACTUR_X_FILE, 'Name of the embedded file'],
  ['DocumentType', 'INVOICE', 'Type of the document'],
  ['Version', '1.0', 'Version of the data'],
  ['ConformanceLevel', 'EN 16931', 'Profile of the data'],
] as const

/** What the metadata of a PDF says of the file (Factur-X 1.0, chapter on PDF/A-3): its four properties, and the schema that PDF/A asks of them. */
export const facturXMetadata = [
  element(
    'rdf:Description',
    properties.map(([name, value]) => element(`fx:${name}`, value)),
    {
      'rdf:about': '',
      'xmlns:fx': FX,
    },
  ),
  element(
    'rdf:Description',
    [
      element('pdfaExtension:schemas', [
        element('rdf:Bag', [
          element(
            'rdf:li',
            [
              element('pdfaSchema:schema', 'Factur-X PDFA Extension Schema'),
              element('pdfaSchema:namespaceURI', FX),
              element('pdfaSchema:prefix', 'fx'),
              element('pdfaSchema:property', [
                element(
                  'rdf:Seq',
                  properties.map(([name, , description]) =>
                    element(
                      'rdf:li',
                      [
                        element('pdfaProperty:name', name),
                        element('pdfaProperty:valueType', 'Text'),
                        element('pdfaProperty:category', 'external'),
                        element('pdfaProperty:description', description),
                      ],
                      { 'rdf:parseType': 'Resource' },
                    ),
                  ),
                ),
              ]),
            ],
            { 'rdf:parseType': 'Resource' },
          ),
        ]),
      ]),
    ],
    {
      'rdf:about': '',
      'xmlns:pdfaExtension': 'http://www.aiim.org/pdfa/ns/extension/',
      'xmlns:pdfaSchema': 'http://www.aiim.org/pdfa/ns/schema#',
      'xmlns:pdfaProperty': 'http://www.aiim.org/pdfa/ns/property#',
    },
  ),
].join('\n')
