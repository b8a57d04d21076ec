package dev.nodepath.report.json;

import dev.nodepath.report.Check;
import dev.nodepath.report.Conditions;
import dev.nodepath.report.Curve;
import dev.nodepath.report.Environment;
import dev.nodepath.report.Figure;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.Report;
import dev.nodepath.report.ReportException;
import dev.nodepath.report.Samples;
import dev.nodepath.report.SuiteResult;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads what {@link JsonWriter} writes. Medians and ratios are worked out anew from the samples. */
public final class JsonReader {
    private JsonReader() {}

    /**
     * Reads a report.
     *
     * @param place named in errors
     * @throws ReportException if it is none, or of another schema version
     */
    public static Report read(String place, String text) throws ReportException {
        JsonObject json = JsonObject.parse(place, text);
        checkSchema(json);
        try {
            List<SuiteResult> suites = new ArrayList<>();
            for (JsonObject suite : json.objects("suites")) {
                suites.add(suite(suite));
            }
            return new Report(
                    json.text("title"),
                    Instant.parse(json.text("started")),
                    Duration.ofMillis(Math.round(json.number("tookSeconds") * 1e3)),
                    environment(json.object("environment")),
                    suites,
                    json.flag("partial"),
                    json.text("command"));
        } catch (DateTimeException | IllegalArgumentException e) {
            throw new ReportException(place + ": " + e.getMessage());
        }
    }

    private static void checkSchema(JsonObject json) throws ReportException {
        String expected = "; run the same again with this version of Nodepath";
        if (json.fields().containsKey("schemaVersion")) {
            throw new ReportException(json.place() + ": schema version 1 (expected: " + Report.SCHEMA + ")" + expected);
        }
        double schema = json.number("schema");
        if (schema != Report.SCHEMA) {
            throw new ReportException(json.place() + ": schema version " + (long) schema + " (expected: "
                    + Report.SCHEMA + ")" + expected);
        }
    }

    private static Environment environment(JsonObject json) throws ReportException {
        JsonObject conditions = json.object("conditions");
        return new Environment(
                json.strings("facts"),
                (int) json.number("cores"),
                new Conditions(
                        conditions.number("loadAtStart"),
                        conditions.number("othersAtStart"),
                        conditions.number("stolen"),
                        conditions.number("throttledSeconds"),
                        conditions.number("throttledByHeat")));
    }

    private static SuiteResult suite(JsonObject json) throws ReportException {
        List<Figure> figures = new ArrayList<>();
        for (JsonObject figure : json.objects("figures")) {
            figures.add(figure(figure));
        }
        List<Curve> curves = new ArrayList<>();
        for (JsonObject curve : json.objects("curves")) {
            curves.add(curve(curve));
        }
        List<Check> checks = new ArrayList<>();
        for (JsonObject check : json.objects("checks")) {
            checks.add(
                    new Check(check.text("contender"), check.text("what"), check.flag("met"), check.text("observed")));
        }
        return new SuiteResult(
                json.text("name"),
                json.text("verdict"),
                figures,
                curves,
                checks,
                json.texts("notes"),
                json.strings("versions"),
                json.text("howToRun"),
                json.flag("partial"));
    }

    private static Figure figure(JsonObject json) throws ReportException {
        JsonObject contenders = json.object("byContender");
        Map<String, Samples> byContender = new LinkedHashMap<>();
        for (String contender : contenders.fields().keySet()) {
            byContender.put(contender, samples(contenders.object(contender)));
        }
        return new Figure(
                json.text("group"),
                json.text("what"),
                json.text("unit"),
                json.flag("lowerIsBetter"),
                json.text("baseline"),
                byContender,
                target(json.optionalObject("target")));
    }

    private static Optional<FigureTarget> target(Optional<JsonObject> json) throws ReportException {
        if (json.isEmpty()) {
            return Optional.empty();
        }
        JsonObject target = json.get();
        return Optional.of(
                new FigureTarget(target.text("contender"), target.optionalText("against"), target.number("limit")));
    }

    private static Curve curve(JsonObject json) throws ReportException {
        JsonObject contenders = json.object("byContender");
        Map<String, List<Curve.Point>> byContender = new LinkedHashMap<>();
        for (String contender : contenders.fields().keySet()) {
            List<Curve.Point> points = new ArrayList<>();
            for (JsonObject point : contenders.objects(contender)) {
                points.add(new Curve.Point(point.number("x"), samples(point)));
            }
            byContender.put(contender, points);
        }
        return new Curve(
                json.text("what"),
                json.text("xUnit"),
                json.text("yUnit"),
                Curve.Kind.valueOf(json.text("kind")),
                byContender);
    }

    private static Samples samples(JsonObject json) throws ReportException {
        return new Samples(json.numbers("perRound"));
    }
}
