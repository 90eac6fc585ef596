package civil

// Seconds of the units that have a fixed length.
const (
	Minute = 60
	Hour   = 3600
	Day    = 86400
)

// Days gives the days since 1970-01-01 of a date of the proleptic Gregorian
// calendar. month may be outside 1 … 12 and day outside the month: both carry.
func Days(year, month, day int) int {
	month--
	year += FloorDiv(month, 12)
	month = FloorMod(month, 12) + 1
	if month <= 2 {
		year--
	}
	era := FloorDiv(year, 400)
	yoe := year - era*400
	mp := (month + 9) % 12
	doy := (153*mp+2)/5 + day - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// FromDays takes days since 1970-01-01 apart.
func FromDays(days int) (year, month, day int) {
	days += 719468
	era := FloorDiv(days, 146097)
	doe := days - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	year = yoe + era*400
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = doy - (153*mp+2)/5 + 1
	month = mp + 3
	if month > 12 {
		month -= 12
	}
	if month <= 2 {
		year++
	}
	return year, month, day
}

// Weekday gives 1 for Monday … 7 for Sunday.
func Weekday(days int) int { return FloorMod(days+3, 7) + 1 }

// Leap tells whether a year has 366 days.
func Leap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

var monthDays = [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// MonthDays gives the days of a month, 1 … 12.
func MonthDays(year, month int) int {
	if month == 2 && Leap(year) {
		return 29
	}
	return monthDays[month-1]
}

// YearDay gives 1 for January 1st.
func YearDay(days int) int {
	y, _, _ := FromDays(days)
	return days - Days(y, 1, 1) + 1
}

// ISOWeek gives ISO 8601's year and week of a date.
func ISOWeek(days int) (year, week int) {
	thursday := days - Weekday(days) + 4
	year, _, _ = FromDays(thursday)
	return year, (thursday-Days(year, 1, 1))/7 + 1
}

// AddMonths moves a date by months; a day past the month's end becomes its last.
func AddMonths(days, months int) int {
	y, m, d := FromDays(days)
	n := y*12 + m - 1 + months
	y, m = FloorDiv(n, 12), FloorMod(n, 12)+1
	return Days(y, m, min(d, MonthDays(y, m)))
}

// FloorDiv rounds towards minus infinity; b > 0.
func FloorDiv[T int | int32 | int64](a, b T) T {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// FloorMod is what FloorDiv leaves: 0 … b-1.
func FloorMod[T int | int32 | int64](a, b T) T {
	r := a % b
	if r < 0 {
		r += b
	}
	return r
}
