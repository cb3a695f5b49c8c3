/* style.c - the page's style sheet: light, dark and print, one column on a phone. Its hash stands in the page's security policy.
 */
#include "report/page.h"

const char *spd_style_sheet(void) {
    return ":root{--ground:#fff;--panel:#f6f7f9;--text:#1c2128;--faint:#5d6773;--line:#dfe3e8;--p:#b2182b;--n:#2166ac;--a:#"
           "2166ac;"
           "--b:#c2570c;color-scheme:light dark}"
           "@media(prefers-color-scheme:dark){:root{--ground:#15181c;--panel:#1d2126;--text:#e8ebee;--faint:#9aa4af;--line:#"
           "343a42;"
           "--p:#ff7b6b;--n:#64b0ff;--a:#64b0ff;--b:#ffb061}}"
           "*{box-sizing:border-box}"
           "body{margin:0 auto;padding:2rem 1.25rem 3rem;max-width:68rem;background:var(--ground);color:var(--text);"
           "font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}"
           "h1{margin:0 0 .4rem;font-size:1.7rem;line-height:1.2;overflow-wrap:anywhere}"
           "h2{margin:2.4rem 0 .8rem;font-size:1.15rem}"
           "p{margin:.4rem 0;max-width:48rem}.faint,figcaption{color:var(--faint);font-size:.9rem}"
           ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.75rem;margin:1.4rem 0}"
           ".tile{background:var(--panel);border-radius:.6rem;padding:.8rem 1rem}"
           ".tile "
           "b{display:block;font-size:1.4rem;font-weight:600;font-variant-numeric:tabular-nums;line-height:1.3;white-space:"
           "nowrap}"
           ".tile span{color:var(--faint);font-size:.85rem}"
           ".row{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.5rem}"
           ".images{display:flex;flex-wrap:wrap;gap:1.5rem}figure{margin:0;flex:1 1 "
           "19rem;max-width:27rem}figcaption{margin-top:.35rem;text-align:center}"
           "svg{display:block;width:100%;height:auto}.legend{max-width:17.5rem;margin-top:1rem}"
           "svg text{font-family:inherit;fill:var(--faint);font-size:12px}svg "
           ".title{fill:var(--text);font-size:14px;font-weight:600}"
           ".stems text{font-size:13px}.grid{stroke:var(--line);stroke-width:1}.axis{stroke:var(--faint);stroke-width:1}"
           ".curve{fill:none;stroke-width:2;stroke-linejoin:round}.curve.a{stroke:var(--a)}.curve.b{stroke:var(--b)}"
           ".curve.p{fill:none;stroke:var(--p);stroke-width:1.2}.curve.n{fill:none;stroke:var(--n);stroke-width:1.2}"
           ".band{fill:var(--a);fill-opacity:.16}.mark{stroke:var(--faint);stroke-width:1.2;stroke-dasharray:4 3}"
           ".dot.a{fill:var(--a)}.dot.b{fill:var(--b)}.p{fill:var(--p)}.n{fill:var(--n)}.ground{fill:var(--panel)}"
           ".truth{stroke:var(--text);stroke-width:2.5;stroke-linecap:round}table{border-collapse:collapse;width:100%;align-self:"
           "start;font-size:.92rem}td,th{padding:.3rem .6rem .3rem 0;border-bottom:1px solid "
           "var(--line);"
           "text-align:left;vertical-align:top;font-weight:400;overflow-wrap:anywhere}.narrow{max-width:32rem}th{color:var(--"
           "faint);width:11rem}td.r{text-align:right;font-variant-numeric:tabular-nums}"
           "pre{background:var(--panel);border-radius:.6rem;padding:.8rem "
           "1rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.88rem}"
           "@media(max-width:40rem){svg.plot text{font-size:17px}svg.plot .title{font-size:19px}.stems "
           "text{font-size:24px}th{width:8rem}}"
           "@media print{body{max-width:none;padding:0}.tile,pre{border:1px solid var(--line)}"
           "figure,.plot,.stems,tr,.tile{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";
}

/* printf %s "$style" | openssl dgst -sha256 -binary | base64; tests/test_report.c compares it. */
const char *spd_style_hash(void) { return "p3ku9b+67MrnxwWK6BOw2d8tQiyetlWko+GyrJ2M8do="; }
