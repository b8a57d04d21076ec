package dev.nodepath.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The figures of suites as a table and as JSON. */
public final class Report {
    private Report() {}

    /** One suite's figures, a line each; contenders are columns. */
    public static String table(List<Figure> figures) {
        Set<String> contenders = new LinkedHashSet<>();
        figures.forEach(figure -> contenders.addAll(figure.values().keySet()));
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("", "unit"));
        head.addAll(contenders);
        head.addAll(List.of("reached", "target", ""));
        rows.add(head);
        for (Figure figure : figures) {
            List<String> row = new ArrayList<>(List.of(figure.what(), figure.unit()));
            contenders.forEach(contender -> row.add(number(figure.values().get(contender))));
            row.add(figure.reached().map(Report::number).orElse(""));
            row.add(figure.target().map(Report::goal).orElse(""));
            row.add(figure.passed() ? "" : "missed");
            rows.add(row);
        }
        return align(rows);
    }

    /** Writes all suites' figures. */
    public static void writeJson(Path file, Map<String, List<Figure>> suites) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(Files.newBufferedWriter(file))) {
            json.useDefaultPrettyPrinter().writeStartObject();
            json.writeStringField("java", System.getProperty("java.vm.version"));
            json.writeStringField("kernel", System.getProperty("os.version"));
            json.writeNumberField("processors", Runtime.getRuntime().availableProcessors());
            for (Map.Entry<String, List<Figure>> suite : suites.entrySet()) {
                json.writeArrayFieldStart(suite.getKey());
                for (Figure figure : suite.getValue()) {
                    write(json, figure);
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        }
    }

    private static void write(JsonGenerator json, Figure figure) throws IOException {
        json.writeStartObject();
        json.writeStringField("what", figure.what());
        json.writeStringField("unit", figure.unit());
        json.writeObjectFieldStart("values");
        for (Map.Entry<String, Double> value : figure.values().entrySet()) {
            json.writeNumberField(value.getKey(), value.getValue());
        }
        json.writeEndObject();
        if (figure.target().isPresent()) {
            json.writeNumberField("reached", figure.reached().orElse(Double.NaN));
            json.writeStringField("target", goal(figure.target().get()));
            json.writeBooleanField("passed", figure.passed());
        }
        json.writeEndObject();
    }

    private static String goal(Figure.Target target) {
        return target.contender() + " <= " + number(target.limit())
                + target.baseline().map(baseline -> " x " + baseline).orElse("");
    }

    private static String number(@Nullable Double value) {
        if (value == null) {
            return "";
        }
        return value.isNaN() ? "failed" : String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.1f", value);
    }

    private static String align(List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
