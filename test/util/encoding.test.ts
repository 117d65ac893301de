import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { decodeText } from '../../src/util/text/encoding.ts';

/** A text's bytes in an encoding that has one or two a character, found by decoding all of them. */
function encoded(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytesOf = new Map<string, number[]>();
  for (let first = 255; first >= 0x80; first--) {
    for (let second = 255; second >= 0x40; second--) {
      const character = decoder.decode(Uint8Array.of(first, second));
      if (character.length === 1) bytesOf.set(character, [first, second]);
    }
  }
  for (let byte = 255; byte >= 0; byte--) bytesOf.set(decoder.decode(Uint8Array.of(byte)), [byte]);
  return Buffer.from(Array.from(text).flatMap((character) => bytesOf.get(character) ?? [0]));
}

/** A few lines of each language, as offices write them, with the encoding that their computers had. */
const texts: Array<[language: string, encoding: string, text: string]> = [
  ['Czech', 'Windows-1250', 'Účet;Částka;Poznámka\n12;450,00;Zaplaceno převodem, děkujeme za včasnou úhradu\n'],
  ['Slovak', 'Windows-1250', 'Dátum;Názov;Množstvo\n3.4.;Skrutky do dreva, krátke;12\n4.4.;Ďalšie náhradné diely;7\n'],
  [
    'Polish',
    'Windows-1250',
    'Nazwa;Ilość;Wartość\nŚruby długie;12;34,50\nZamówienie pilne, proszę o potwierdzenie;1;9\n',
  ],
  [
    'Hungarian',
    'Windows-1250',
    'Megnevezés;Összeg\nFűtés és melegvíz, kettő hónap;12500\nKésőbb fizetendő előleg;400\n',
  ],
  ['Slovene', 'Windows-1250', 'Stranka;Znesek\nPlačilo računa za električno energijo in ogrevanje šole;45,10\n'],
  [
    'Croatian',
    'Windows-1250',
    'Račun;Iznos\nPlaćeno na vrijeme, tražimo još jedan ključ za vežbaonicu i učionicu;12\n',
  ],
  [
    'Romanian',
    'Windows-1250',
    'Denumire;Sumă\nFactură plătită la timp, vă mulţumim pentru încredere şi aşteptăm;120\n',
  ],
  ['Russian', 'Windows-1251', 'Дата;Назначение платежа\n3.4.;Оплата по счёту за поставку бумаги\n'],
  ['Ukrainian', 'Windows-1251', 'Дата;Призначення\n3.4.;Сплата за електроенергію та її постачання, дякуємо\n'],
  ['Bulgarian', 'Windows-1251', 'Дата;Основание\n3.4.;Плащане по фактура за доставка на хартия\n'],
  ['Russian on Unix', 'KOI8-R', 'Дата;Назначение платежа\n3.4.;Оплата по счёту за поставку бумаги\n'],
  ['Russian under DOS', 'IBM866', 'Дата;Назначение платежа\n3.4.;Оплата по счёту за поставку бумаги\n'],
  ['Russian in capitals', 'Windows-1251', 'ДАТА;НАЗНАЧЕНИЕ ПЛАТЕЖА\n3.4.;ОПЛАТА ПО СЧЁТУ ЗА ПОСТАВКУ БУМАГИ\n'],
  ['Greek', 'Windows-1253', 'Ημερομηνία;Περιγραφή\n3.4.;Πληρωμή λογαριασμού για το γραφείο\n'],
  ['Greek in capitals', 'Windows-1253', 'ΗΜΕΡΟΜΗΝΙΑ;ΠΕΡΙΓΡΑΦΗ\n3.4.;ΠΛΗΡΩΜΗ ΛΟΓΑΡΙΑΣΜΟΥ ΓΙΑ ΤΟ ΓΡΑΦΕΙΟ\n'],
  [
    'Turkish',
    'Windows-1254',
    'Açıklama;Tutar\nMaaş ödemesi, şubat ayı için yapıldı;1200\nİşyeri kirası ve diğer giderler;90\n',
  ],
  ['Hebrew', 'Windows-1255', 'תאריך;תיאור\n3.4.;תשלום חשבון עבור המשרד\n'],
  ['Arabic', 'Windows-1256', 'التاريخ;الوصف\n3.4.;دفع فاتورة الكهرباء للمكتب\n'],
  [
    'Lithuanian',
    'Windows-1257',
    'Data;Paskirtis\n3.4.;Mokėjimas už elektros energiją ir šildymą, ačiū už greitą apmokėjimą\n',
  ],
  ['Latvian', 'Windows-1257', 'Datums;Mērķis\n3.4.;Maksājums par elektrību un apkuri, paldies par ātru apmaksu\n'],
  ['Thai', 'Windows-874', 'วันที่;รายการ\n3.4.;ชำระค่าไฟฟ้าสำนักงาน\n'],
  ['Traditional Chinese', 'Big5', '日期,說明\n3.4.,支付辦公室的電費\n4.4.,購買紙張與文具\n'],
  ['Simplified Chinese', 'GB18030', '日期,说明\n3.4.,支付办公室的电费\n4.4.,购买纸张与文具\n'],
  ['Japanese', 'Shift_JIS', '日付,内容\n3.4.,事務所の電気料金を支払いました\n'],
  ['Japanese on Unix', 'EUC-JP', '日付,内容\n3.4.,事務所の電気料金を支払いました\n'],
  ['Korean', 'EUC-KR', '날짜,내용\n3.4.,사무실 전기 요금을 납부했습니다\n'],
  ['German', 'Windows-1252', 'Änderung;Größe\nKöln;groß\nMünchen;für 3 m³/h, 5 € – „fein“\n'],
  [
    'German on a Mac',
    'Macintosh',
    'Änderung;Größe\nKöln;groß\nMünchen;für die Küche „fein“ überprüft, möglichst täglich\n',
  ],
  ['French', 'Windows-1252', 'Désignation;Quantité\nCâble électrique, côté cœur;3\nÉté à Nîmes, déjà payé;1\n'],
  ['Spanish', 'Windows-1252', 'Descripción;Tamaño\n¿Está pagado? Sí, mañana, en el año próximo;3\n'],
  ['Portuguese', 'Windows-1252', 'Descrição;Coração\nNão há informações à mão sobre a situação;3\n'],
  ['Swedish', 'Windows-1252', 'Färg;Längd\nBlå dörr, går att öppna från höger;3\n'],
  ['Danish', 'Windows-1252', 'Beløb;Måned\nBetaling på månedens første dag, tak for hjælpen;3\n'],
  ['Finnish', 'Windows-1252', 'Päivä;Määrä\nSähkölasku maksettu eräpäivänä, kiitos;3\n'],
  ['Icelandic', 'Windows-1252', 'Þú ert á þessum stað;í gær\nGreiðsla fyrir rafmagn og hita, takk fyrir það;3\n'],
  ['Dutch', 'Windows-1252', 'Omschrijving;Coördinaten\nBetaald vóór één april, geïnd per incasso, 5 €;3\n'],
  ['Italian', 'Windows-1252', 'Città;Quantità\nLa società è già pagata, perché è più comodo così;3\n'],
  ['Catalan', 'Windows-1252', 'Descripció;Població\nPagament de la llum i l’aigua, gràcies per la col·laboració;3\n'],
];

test.each(texts)('a text in %s is the same in UTF-8 and UTF-16', (_, _encoding, text) => {
  const little = Buffer.from(text, 'utf16le');
  const big = Buffer.from(little).swap16();
  for (const bytes of [Buffer.from(text), little, big]) expect(decodeText(bytes)?.text).toBe(text);
});

describe('a text without Unicode', () => {
  test.each(texts)('in %s is read as %s', (_, encoding, text) => {
    const note = `it was read as ${encoding}, which its bytes look like`;
    expect(decodeText(encoded(text, encoding))).toEqual({ text, note });
  });

  test.each([
    ['Windows-1252', 'Un café à Nîmes, un été à Sète.\n'],
    ['Windows-1250', 'Opłata;Wpłata własna;są\n'],
    ['Windows-1251', 'Дата операции;Описание\n'],
    ['Shift_JIS', '日付,支払い金額,メモ\n'],
    ['EUC-KR', '거래일시,적요\n'],
  ])('of a few words is read as %s', (encoding, text) => {
    expect(decodeText(encoded(text, encoding))).toMatchObject({ text });
  });

  test('is read by its lines that tell, however far behind others they are', () => {
    const lines = `${'Nothing to see here.\n'.repeat(20_000)}Účet;Částka\nZaplaceno převodem, děkujeme\n`;
    expect(decodeText(encoded(lines, 'Windows-1250'))?.text).toBe(lines);
  });

  test('is none, and nothing is said, where it is ASCII with controls', () => {
    const warn = vi.spyOn(console, 'warn');
    expect(decodeText(Buffer.from('\u0001\u0002\0\0\0 A'))).toBeUndefined();
    expect(warn).not.toHaveBeenCalled();
  });

  test('is none where it is data, of which no encoding is guessed', () => {
    const data = fc.noBias(fc.uint8Array({ minLength: 300, maxLength: 400 }));
    fc.assert(
      fc.property(data, (bytes) => {
        expect(decodeText(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });
});
