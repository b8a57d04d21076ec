package dev.nodepath.endpoints.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class FamilySyncTest {
    private static SyncException sync(FamilySync<IpFamily> sync) {
        return catchThrowableOfType(
                SyncException.class,
                () -> FamilySync.each(List.of(IpFamily.values()), Function.identity(), "rules", sync));
    }

    @Test
    void aFamilyThatBreaksDoesNotKeepTheOther() {
        SyncException failure = sync(family -> {
            if (family == IpFamily.IPV4) {
                throw new IllegalStateException("broken");
            }
        });
        assertThat(failure).hasMessage("IPv4 rules: java.lang.IllegalStateException: broken");
        assertThat(failure.inForce()).containsExactly(IpFamily.IPV6);
    }

    @Test
    void namesTheFailureOfEachFamily() {
        SyncException failure = sync(family -> {
            throw new IOException("refused");
        });
        assertThat(failure).hasMessage("IPv4 rules: refused");
        assertThat(failure.getSuppressed()).singleElement().asString().endsWith("IPv6 rules: refused");
        assertThat(failure.inForce()).isEmpty();
    }
}
