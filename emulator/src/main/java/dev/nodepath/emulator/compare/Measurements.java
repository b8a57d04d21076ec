package dev.nodepath.emulator.compare;

import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What a comparison has measured.
 *
 * @param all in the order they were made
 */
public record Measurements(List<Measurement> all) {
    /** The mode that the others are compared with. */
    static final String BASELINE = Mode.DIRECT.toString();

    /** Copies the list. */
    public Measurements {
        all = List.copyOf(all);
    }

    /** The modes, in the order they ran. */
    List<String> modes() {
        return all.stream().map(Measurement::mode).distinct().toList();
    }

    /** The paths, in the order they were measured. */
    List<String> paths() {
        return all.stream().map(Measurement::path).distinct().toList();
    }

    /** The measurement of a mode on a path. */
    Optional<Measurement> of(String mode, String path) {
        return all.stream()
                .filter(each -> each.mode().equals(mode) && each.path().equals(path))
                .findFirst();
    }

    /** How much of the direct path's figure a mode reached, such as 0.52; empty without a baseline. */
    Optional<Double> share(Measurement measurement, ToDoubleFunction<Measurement> figure) {
        return of(BASELINE, measurement.path())
                .map(figure::applyAsDouble)
                .filter(baseline -> baseline > 0)
                .map(baseline -> figure.applyAsDouble(measurement) / baseline);
    }
}
