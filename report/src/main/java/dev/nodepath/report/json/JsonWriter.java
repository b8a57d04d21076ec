package dev.nodepath.report.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.nodepath.report.Check;
import dev.nodepath.report.Conditions;
import dev.nodepath.report.Curve;
import dev.nodepath.report.Environment;
import dev.nodepath.report.Figure;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.Report;
import dev.nodepath.report.Samples;
import dev.nodepath.report.SuiteResult;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Writes a report as JSON: every raw sample, and beside them the medians, ratios and the like that the other forms show. */
public final class JsonWriter {
    private final JsonGenerator json;

    private JsonWriter(JsonGenerator json) {
        this.json = json;
    }

    /** The report as text; a value that is no number is {@code null}. */
    public static String render(Report report) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")));
            new JsonWriter(json).write(report);
        } catch (IOException e) {
            throw new UncheckedIOException("a string writer failed", e);
        }
        return text + "\n";
    }

    private void write(Report report) throws IOException {
        json.writeStartObject();
        json.writeNumberField("schema", Report.SCHEMA);
        json.writeStringField("title", report.title());
        json.writeStringField("started", report.started().toString());
        number("tookSeconds", report.took().toMillis() / 1e3);
        json.writeStringField("command", report.command());
        json.writeBooleanField("partial", report.partial());
        write(report.environment());
        json.writeArrayFieldStart("suites");
        for (SuiteResult suite : report.suites()) {
            write(suite);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void write(Environment environment) throws IOException {
        json.writeObjectFieldStart("environment");
        strings("facts", environment.facts());
        json.writeNumberField("cores", environment.cores());
        Conditions conditions = environment.conditions();
        json.writeObjectFieldStart("conditions");
        number("loadAtStart", conditions.loadAtStart());
        number("othersAtStart", conditions.othersAtStart());
        number("stolen", conditions.stolen());
        number("throttledSeconds", conditions.throttledSeconds());
        number("throttledByHeat", conditions.throttledByHeat());
        json.writeEndObject();
        json.writeEndObject();
    }

    private void write(SuiteResult suite) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", suite.name());
        json.writeStringField("verdict", suite.verdict());
        json.writeBooleanField("partial", suite.partial());
        json.writeStringField("howToRun", suite.howToRun());
        strings("versions", suite.versions());
        json.writeArrayFieldStart("notes");
        for (String note : suite.notes()) {
            json.writeString(note);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("figures");
        for (Figure figure : suite.figures()) {
            write(figure);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("curves");
        for (Curve curve : suite.curves()) {
            write(curve);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("checks");
        for (Check check : suite.checks()) {
            write(check);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void write(Figure figure) throws IOException {
        json.writeStartObject();
        json.writeStringField("group", figure.group());
        json.writeStringField("what", figure.what());
        json.writeStringField("unit", figure.unit());
        json.writeBooleanField("lowerIsBetter", figure.lowerIsBetter());
        json.writeStringField("baseline", figure.baseline());
        json.writeObjectFieldStart("byContender");
        for (Map.Entry<String, Samples> entry : figure.byContender().entrySet()) {
            json.writeObjectFieldStart(entry.getKey());
            summary(entry.getValue());
            Samples ratio = figure.ratio(entry.getKey()).orElse(Samples.of());
            if (!ratio.perRound().isEmpty()) {
                number("ratio", ratio.median());
                number("ratioMin", ratio.min());
                number("ratioMax", ratio.max());
            }
            json.writeEndObject();
        }
        json.writeEndObject();
        if (figure.target().isPresent()) {
            write(figure, figure.target().get());
        }
        json.writeEndObject();
    }

    private void write(Figure figure, FigureTarget target) throws IOException {
        json.writeObjectFieldStart("target");
        json.writeStringField("contender", target.contender());
        if (target.against().isPresent()) {
            json.writeStringField("against", target.against().get());
        }
        number("limit", target.limit());
        number("reached", figure.reached().orElse(Double.NaN));
        json.writeBooleanField("passed", figure.passed());
        json.writeEndObject();
    }

    private void write(Curve curve) throws IOException {
        json.writeStartObject();
        json.writeStringField("what", curve.what());
        json.writeStringField("xUnit", curve.xUnit());
        json.writeStringField("yUnit", curve.yUnit());
        json.writeStringField("kind", curve.kind().name());
        json.writeObjectFieldStart("byContender");
        for (Map.Entry<String, List<Curve.Point>> entry : curve.byContender().entrySet()) {
            json.writeArrayFieldStart(entry.getKey());
            for (Curve.Point point : entry.getValue()) {
                json.writeStartObject();
                number("x", point.x());
                summary(point.samples());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private void write(Check check) throws IOException {
        json.writeStartObject();
        json.writeStringField("contender", check.contender());
        json.writeStringField("what", check.what());
        json.writeBooleanField("met", check.met());
        json.writeStringField("observed", check.observed());
        json.writeEndObject();
    }

    private void summary(Samples samples) throws IOException {
        number("median", samples.median());
        number("min", samples.min());
        number("max", samples.max());
        json.writeArrayFieldStart("perRound");
        for (double value : samples.perRound()) {
            if (Double.isFinite(value)) {
                json.writeNumber(value);
            } else {
                json.writeNull();
            }
        }
        json.writeEndArray();
    }

    private void strings(String name, Map<String, String> values) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, String> value : values.entrySet()) {
            json.writeStringField(value.getKey(), value.getValue());
        }
        json.writeEndObject();
    }

    private void number(String name, double value) throws IOException {
        if (Double.isFinite(value)) {
            json.writeNumberField(name, value);
        } else {
            json.writeNullField(name);
        }
    }
}
