"""Makes the files of questions.yaml and questions-of-files.yaml that programs of others have written, into the folder that is named.

Needs openpyxl, xlsxwriter, python-docx, python-pptx, reportlab, fpdf2, matplotlib, pillow, pyarrow, and LibreOffice as `soffice`.
"""

import datetime
import gzip
import io
import json
import pathlib
import sqlite3
import subprocess
import sys
import tarfile
import zipfile

import matplotlib

matplotlib.use("pdf")
import matplotlib.pyplot as plt
import openpyxl
import pyarrow
import pyarrow.parquet
import xlsxwriter
from docx import Document
from fpdf import FPDF
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table
from reportlab.lib.styles import getSampleStyleSheet

OUT = pathlib.Path(sys.argv[1])


def fill(rgb):
    return PatternFill("solid", fgColor=rgb)


def warehouse():
    """Rows that somebody has hidden by hand."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Stock"
    sheet.append(["Article", "Place", "Value"])
    rows = [("Rope", "A", 12000), ("Paint", "B", 20721), ("Anchor", "A", 9009), ("Sail", "C", 24000), ("Lamp", "B", 29000)]
    for row in rows:
        sheet.append(row)
    for hidden in (3, 5):
        sheet.row_dimensions[hidden].hidden = True
    book.save(OUT / "warehouse.xlsx")


def budget():
    """Cells in colours with a meaning, and comments."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Budget"
    sheet.append(["Item", "Spring", "Autumn"])
    rows = [("Crane", 120, 300), ("Dredger", 45, 99), ("Jetty", 310, 54), ("Nets", 68, 65)]
    for row in rows:
        sheet.append(row)
    for cell in ("B2", "C3"):
        sheet[cell].fill = fill("FFFFFF00")
    for cell in ("C2", "B4"):
        sheet[cell].fill = fill("FF92D050")
    sheet["C5"].fill = fill("FFFF0000")
    sheet["B5"].comment = Comment("Paid twice by mistake", "Ina")
    sheet["A1"].comment = Comment("Prices without tax", "Ina")
    sheet["A2"].font = Font(color="FFFF0000")
    book.save(OUT / "budget.xlsx")


def catches():
    """A title, a unit, a header of two rows and merged regions."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Catches"
    sheet["A1"] = "Catches of the harbours"
    sheet.merge_cells("A1:F1")
    sheet["A2"] = "in hundred kilograms"
    sheet.append([])
    for column, text in {"A": "Coast", "B": "Harbour", "C": "2022", "E": "2023"}.items():
        sheet[f"{column}4"] = text
    sheet.merge_cells("C4:D4")
    sheet.merge_cells("E4:F4")
    for column, text in {"C": "Cod", "D": "Herring", "E": "Cod", "F": "Herring"}.items():
        sheet[f"{column}5"] = text
    rows = [
        ("North", "Vik", 31, 12, 28, 15),
        (None, "Sund", 17, 40, 19, 33),
        (None, "Bode", 22, 8, 25, 9),
        ("South", "Lund", 5, 61, 7, 58),
        (None, "Ask", 11, 47, 13, 52),
    ]
    for row in rows:
        sheet.append(row)
    sheet.merge_cells("A6:A8")
    sheet.merge_cells("A9:A10")
    book.save(OUT / "catches.xlsx")


def deliveries():
    """Dates that count from 1904."""
    book = openpyxl.Workbook()
    book.epoch = CALENDAR_MAC_1904
    sheet = book.active
    sheet.title = "Deliveries"
    sheet.append(["Goods", "Day"])
    for goods, day in [("Coal", (2023, 5, 4)), ("Ice", (2023, 11, 29)), ("Salt", (2023, 8, 17))]:
        sheet.append([goods, datetime.date(*day)])
    book.save(OUT / "deliveries.xlsx")


def tickets():
    """A filter, a hidden column, a hidden sheet, a chart and a rule that colours."""
    book = xlsxwriter.Workbook(str(OUT / "tickets.xlsx"))
    sheet = book.add_worksheet("Tickets")
    bold = book.add_format({"bold": True})
    sheet.write_row("A1", ["Ferry", "Month", "Sold", "Refunded"], bold)
    rows = [("Aura", "May", 410, 12), ("Aura", "June", 530, 7), ("Bris", "May", 290, 31), ("Bris", "June", 350, 2), ("Cirr", "May", 120, 4)]
    sheet.autofilter("A1:D6")
    sheet.filter_column("B", "x == May")
    for at, row in enumerate(rows, 1):
        sheet.write_row(at, 0, row)
        if row[1] != "May":
            sheet.set_row(at, options={"hidden": True})
    sheet.set_column("D:D", None, None, {"hidden": True})
    sheet.conditional_format("C2:C6", {"type": "cell", "criteria": ">", "value": 400, "format": book.add_format({"bg_color": "#FFC7CE"})})
    prices = book.add_worksheet("Prices")
    prices.write_row("A1", ["Ferry", "Price"])
    for at, row in enumerate([("Aura", 12), ("Bris", 15), ("Cirr", 9)], 1):
        prices.write_row(at, 0, row)
    prices.hide()
    chart = book.add_chart({"type": "column"})
    chart.add_series({"name": "Sold by ferry", "categories": "=Tickets!$A$2:$A$6", "values": "=Tickets!$C$2:$C$6"})
    chart.set_title({"name": "Ferries"})
    sheet.insert_chart("F2", chart)
    book.close()


def invoice():
    """Formulas with their values, computed by LibreOffice; one line of them differs."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Invoice"
    sheet.append(["Line", "Net", "Gross"])
    for at, (line, net) in enumerate([("Rope", 100), ("Bread", 200), ("Paint", 300), ("Chain", 400)], 2):
        sheet.append([line, net, f"=B{at}*{'1.07' if line == 'Bread' else '1.25'}"])
    sheet.append(["Sum", "=SUM(B2:B5)", "=SUM(C2:C5)"])
    place = OUT / "made" / "invoice.xlsx"
    place.parent.mkdir(exist_ok=True)
    book.save(place)
    convert(place, "xlsx")
    place.unlink()


def convert(place, ending):
    office = ["soffice", "--headless", "--convert-to", ending, "--outdir", str(OUT), str(place)]
    subprocess.run(office, check=True, capture_output=True)


def by_libreoffice():
    for name, ending in [("warehouse.xlsx", "ods"), ("budget.xlsx", "ods"), ("tickets.xlsx", "xls"), ("catches.xlsx", "pdf"), ("port.pptx", "odp"), ("tides.docx", "odt")]:
        convert(OUT / name, ending)


def port():
    """Charts, notes, a hidden slide and a table with merged cells."""
    deck = Presentation()
    blank = deck.slide_layouts[5]
    slide = deck.slides.add_slide(blank)
    slide.shapes.title.text = "Ships in the port"
    data = CategoryChartData()
    data.categories = ["2019", "2020", "2021", "2022"]
    data.add_series("Sailing", (31, 18, 22, 27))
    data.add_series("Motor", (112, 96, 104, 131))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Ships by kind"
    slide.notes_slide.notes_text_frame.text = "The figures of 2021 are preliminary."
    hidden = deck.slides.add_slide(blank)
    hidden.shapes.title.text = "Not for the public: the quay closes on 14 March"
    hidden._element.set("show", "0")
    deck.save(OUT / "port.pptx")


def tides():
    """A table with merged cells, in a document."""
    document = Document()
    document.add_heading("Watch at the lock", 1)
    table = document.add_table(rows=4, cols=4)
    cells = [["Week", "Mon", "Tue", "Wed"], ["1", "Olsen", "", "Berg"], ["2", "", "Hauge", ""], ["3", "Dahl", "Dahl", "Lie"]]
    for row, texts in zip(table.rows, cells):
        for cell, text in zip(row.cells, texts):
            cell.text = text
    merged = table.cell(3, 1).merge(table.cell(3, 2))
    merged.text = "Dahl"
    picture = OUT / "made-picture.png"
    Image.new("RGB", (40, 20), "navy").save(picture)
    document.add_picture(str(picture))
    picture.unlink()
    document.save(OUT / "tides.docx")


TABLE = [
    ["Harbour", "2019", "2020", "2021", "2022"],
    ["Vik", "14", "", "19", "20"],
    ["Bode", "", "21", "", "23"],
    ["Sund", "9", "11", "12", ""],
    ["Lund", "", "", "", "5"],
]


def by_reportlab():
    styles = getSampleStyleSheet()
    document = SimpleDocTemplate(str(OUT / "arrivals.pdf"), pagesize=A4, invariant=True)
    grid = Table(TABLE, colWidths=[90, 60, 60, 60, 60], style=[("GRID", (0, 0), (-1, -1), 0.5, colors.grey), ("ALIGN", (1, 0), (-1, -1), "RIGHT")])
    document.build([Paragraph("Arrivals of cruise ships", styles["Heading1"]), grid, Paragraph("Ships of over 100 m alone.", styles["Normal"])])

    words = "The harbour council met on this day and spoke about the usual matters of the quay and the lights. " * 12
    story = []
    for page in range(1, 41):
        story.append(Paragraph(f"Minutes, meeting {page}", styles["Heading2"]))
        story.append(Paragraph(words, styles["Normal"]))
        if page == 33:
            story.append(Paragraph("It was agreed to lease the old lighthouse to Wilma Torp for 480 crowns a year.", styles["Normal"]))
        story.append(PageBreak())
    SimpleDocTemplate(str(OUT / "minutes.pdf"), pagesize=A4, invariant=True).build(story)

    form = canvas.Canvas(str(OUT / "berth.pdf"), pagesize=A4, invariant=True)
    form.drawString(72, 760, "Application for a berth")
    form.drawString(72, 720, "Name of the boat")
    form.acroForm.textfield(name="boat", value="Morgenrøde", x=220, y=712, width=200, height=22)
    form.drawString(72, 680, "Length in metres")
    form.acroForm.textfield(name="length", value="11.4", x=220, y=672, width=200, height=22)
    form.save()

    scan = scanned()
    pages = canvas.Canvas(str(OUT / "scan.pdf"), pagesize=A4, invariant=True)
    pages.drawImage(scan_path(scan), 0, 0, A4[0], A4[1])
    pages.showPage()
    pages.drawString(72, 760, "The second page has a text: the receipt was found in the drawer.")
    pages.save()
    (OUT / "made-scan.png").unlink()


def scanned():
    image = Image.new("L", (620, 877), 250)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(36)
    for at, line in enumerate(["RECEIPT", "", "Two oars      86", "One bucket    19", "Paint         47"]):
        draw.text((70, 100 + 60 * at), line, fill=20, font=font)
    return image


def scan_path(image):
    image.save(OUT / "made-scan.png")
    return str(OUT / "made-scan.png")


def by_fpdf():
    pdf = FPDF()
    pdf.set_creation_date(datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc))
    pdf.add_page()
    pdf.set_font("helvetica", size=11)
    pdf.cell(0, 10, "Rescues by month", new_x="LMARGIN", new_y="NEXT")
    rows = [["Station", "May", "June", "July", "August"], ["Holm", "", "3", "", "7"], ["Skjer", "2", "", "", "4"], ["Utvik", "", "", "6", ""]]
    with pdf.table(col_widths=(40, 25, 25, 25, 25), text_align=("LEFT", "CENTER", "CENTER", "CENTER", "CENTER")) as table:
        for row in rows:
            line = table.row()
            for text in row:
                line.cell(text)
    pdf.output(str(OUT / "rescues.pdf"))


def by_matplotlib():
    figure, axes = plt.subplots(figsize=(6, 2.5))
    axes.axis("off")
    axes.set_title("Length of the quays in metres")
    cells = [["East", "240", ""], ["West", "", "310"], ["North", "95", ""]]
    axes.table(cellText=cells, colLabels=["Quay", "Stone", "Timber"], loc="center", cellLoc="center")
    figure.savefig(OUT / "quays.pdf", metadata={"CreationDate": None})


def papers():
    """Documents in an archive, of which one has what is looked for."""
    with zipfile.ZipFile(OUT / "letters.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {
            "may.docx": "Dear Ms Holt, the nets have come, and all is well.",
            "june.docx": "Dear Ms Holt, the boat Kittiwake has lost her mast off Skomvær.",
            "july.docx": "Dear Ms Holt, the ice is late.",
        }.items():
            document = Document()
            document.add_paragraph(text)
            place = OUT / f"made-{name}"
            document.save(place)
            archive.write(place, f"letters/{name}")
            place.unlink()


def offer():
    """Formulas that no program has computed."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Offer"
    for row in [["Part", "Price"], ["Hull", 900], ["Mast", 350], ["Sum", "=SUM(B2:B3)"]]:
        sheet.append(row)
    book.save(OUT / "offer.xlsx")


def contract():
    """Changes that are tracked, and hidden text."""
    document = Document()
    paragraph = document.add_paragraph("The rent of the boathouse is 700 crowns a month. ")
    run = paragraph.add_run("The key is with Ida Moe.")
    run.font.hidden = True
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    paragraph._p.append(parse_xml(f'<w:del {nsdecls("w")} w:id="1" w:author="Ida"><w:r><w:delText>600 crowns</w:delText></w:r></w:del>'))
    document.save(OUT / "contract.docx")


def locked():
    """A PDF with a password, and one with a picture beside its text."""
    for name, text in [("locked.pdf", "The code of the boathouse is 2917."), ("poster.pdf", "Open day at the boatyard, 3 June.")]:
        pdf = FPDF()
        pdf.set_creation_date(datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc))
        pdf.add_page()
        pdf.set_font("helvetica", size=11)
        pdf.cell(0, 10, text, new_x="LMARGIN", new_y="NEXT")
        if name == "poster.pdf":
            pdf.image(Image.new("RGB", (120, 80), "teal"), w=60)
        else:
            pdf.set_encryption(owner_password="owner", user_password="pier7")
        pdf.output(str(OUT / name))


FLEET = [("Aura", 1994, 41.5), ("Bris", 2008, 36.25), ("Cirr", 1987, 22.0), ("Dura", 2016, 18.75)]


def formats():
    """What other programs than offices write."""
    def packed(name, content, mode="w:gz"):
        with tarfile.open(OUT / name, mode) as archive:
            for path, data in content.items():
                info = tarfile.TarInfo(path)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))

    log = "".join(f"2024-02-{day:02} buoy={day % 5} depth={30 + day * 7 % 13}\n" for day in range(1, 29))
    (OUT / "buoys.log.gz").write_bytes(gzip.compress(log.encode(), mtime=0))
    packed("logbook.tar.gz", {"log/march.txt": "Fog, and nobody went out.\n".encode(), "log/april.txt": "The pilot was Signe Aas.\n".encode()})
    packed("charts.tar", {"charts/list.csv": b"chart,scale\nNorth,50000\nSouth,25000\n"}, "w")
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("cargo.csv", "goods,tons\nsalt,310\ncoal,95\n")
    with zipfile.ZipFile(OUT / "nested.zip", "w") as archive:
        archive.writestr("inner/papers.zip", inner.getvalue())
    (OUT / "fleet.sqlite").unlink(missing_ok=True)
    base = sqlite3.connect(OUT / "fleet.sqlite")
    base.execute("CREATE TABLE ferries (name TEXT, built INTEGER, length REAL)")
    base.execute("CREATE TABLE trips (ferry TEXT, day TEXT, passengers INTEGER)")
    base.executemany("INSERT INTO ferries VALUES (?, ?, ?)", FLEET)
    base.executemany("INSERT INTO trips VALUES (?, ?, ?)", [("Aura", "2024-05-01", 120), ("Cirr", "2024-05-01", 44), ("Aura", "2024-05-02", 98)])
    base.commit()
    base.close()
    names, built, length = zip(*FLEET)
    pyarrow.parquet.write_table(pyarrow.table({"name": names, "built": built, "length": length}), OUT / "fleet.parquet")
    (OUT / "prices.csv").write_bytes("Ware;Preis\nÖlzeug;12,50\nSegeltuch;8,75\nFähre;3,00\n".encode("cp1252"))
    (OUT / "pilots.txt").write_bytes("Lotsen im Dienst: Åse Lund, Jørn Vik und Mia Öst.\n".encode("utf-16"))
    (OUT / "register.csv").write_bytes("båt;ägare\nMåsen;Åke Björk\nTärnan;Siv Ek\n".encode("latin-1"))
    lines = [{"day": "2024-03-01", "wind": 7}, {"day": "2024-03-02", "wind": 11}, {"day": "2024-03-03", "wind": 4}]
    (OUT / "wind.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (OUT / "wind.ndjson.gz").write_bytes(gzip.compress((OUT / "wind.jsonl").read_bytes(), mtime=0))
    sign = Image.new("RGB", (220, 60), "white")
    ImageDraw.Draw(sign).text((10, 8), "PIER 12", fill="navy", font=ImageFont.load_default(36))
    for ending in ("tiff", "bmp", "webp"):
        sign.convert("P" if ending == "bmp" else "RGB").save(OUT / f"sign.{ending}")


for make in (offer, contract, locked, formats, warehouse, budget, catches, deliveries, tickets, invoice, port, tides, by_reportlab, by_fpdf, by_matplotlib, papers, by_libreoffice):
    make()
(OUT / "made").rmdir()
